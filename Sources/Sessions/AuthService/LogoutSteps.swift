import HTTPLoading

/// The steps of logging out. The next log-in waits for them, so that they don't clear the data of the next person.
actor LogoutSteps {
    /// How long a log-in waits. A step that waits for the next log-in itself would otherwise never end.
    private static let longestWait = Duration.seconds(5)

    private let steps: [LogoutStep]
    private var running: Task<Void, Never>?

    init(_ steps: [LogoutStep]) { self.steps = steps }

    /// Runs all steps in order, even if one fails. Cancelling the caller, as a closed view does, doesn't stop them.
    /// - Parameter failed: is called with the name of each step that fails.
    func run(failed: @escaping @Sendable (String) async -> Void) async {
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

    /// Waits for the steps of the log-outs so far.
    func ended(_ timing: Timing) async {
        guard let running else { return }
        _ = await firstResult(of: { await running.value }) { try? await timing.sleep(Self.longestWait) }
    }
}
