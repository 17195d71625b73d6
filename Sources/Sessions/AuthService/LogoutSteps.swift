package import HTTPLoading

/// The steps of logging out. The next log-in waits for them, so that they don't clear the next person's data.
package final class LogoutSteps: Sendable {
    /// The longest time that a log-in waits. Without it, a step that itself waits for the next log-in would be a
    /// deadlock.
    private static let longestWait = Duration.seconds(5)

    private let steps: [LogoutStep]
    private let running = Locked<Task<Void, Never>?>(nil)

    package init(_ steps: [LogoutStep]) { self.steps = steps }

    /// Starts all steps in order; each runs even if another one fails. Cancelling the caller, as closing a view does,
    /// doesn't stop them.
    /// - Parameters:
    ///   - preparation: is run first.
    ///   - failed: called with the name of each step that fails.
    /// - Returns: the run of these steps.
    @discardableResult
    package func start(
        after preparation: @escaping @Sendable () async -> Void = {},
        failed: @escaping @Sendable (String) async -> Void
    ) -> Task<Void, Never> {
        let work = Task { [steps] in
            await preparation()
            for step in steps {
                do {
                    try await step.run()
                } catch {
                    await failed(step.name)
                }
            }
        }
        running.withValue { running in
            running = Task { [before = running] in
                await before?.value
                await work.value
            }
        }
        return work
    }

    /// Waits for the steps of all log-outs so far.
    package func ended(_ timing: Timing) async {
        guard let running = running.withValue(\.self) else { return }
        _ = await firstResult(of: { await running.value }) { try? await timing.sleep(Self.longestWait) }
    }
}
