/// A task at a time: a new one takes the place of the one before.
@MainActor final class Slot {
    private var task: Task<Void, Never>?

    deinit { task?.cancel() }

    /// - Parameter inTurn: whether to begin when the task before has ended, which may take a while after it was cancelled.
    func run(inTurn: Bool = false, _ work: @escaping @MainActor () async -> Void) {
        let before = task
        before?.cancel()
        task = Task {
            if inTurn { await before?.value }
            guard !Task.isCancelled else { return }
            await work()
        }
    }

    func cancel() { task?.cancel() }
}
