package import HTTPLoading

/// The steps of logging out. The next log-in waits for them, so that they don't clear the next person's data.
package actor LogoutSteps {
    /// The longest time that a log-in waits. Without it, a step that itself waits for the next log-in would be a
    /// deadlock.
    private static let longestWait = Duration.seconds(5)

    private let steps: [LogoutStep]
    private var running: Task<Void, Never>?

    package init(_ steps: [LogoutStep]) { self.steps = steps }

    /// Runs all steps in order, even if one fails. Cancelling the caller, as closing a view does, doesn't stop them.
    /// - Parameter failed: called with the name of each step that fails.
    package func run(failed: @escaping @Sendable (String) async -> Void) async {
        let (steps, before) = (steps, running)
        let work = Task {
            for step in steps {
                do {
                    try await step.run()
                } catch {
                    await failed(step.name)
                }
            }
        }
        running = Task {
            await before?.value
            await work.value
        }
        await work.value
    }

    /// Waits for the steps of all log-outs so far.
    package func ended(_ timing: Timing) async {
        guard let running else { return }
        _ = await firstResult(of: { await running.value }) { try? await timing.sleep(Self.longestWait) }
    }
}
