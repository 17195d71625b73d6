/// Runs one task at a time: a new one cancels and replaces the previous one.
@MainActor final class Slot {
    private var task: Task<Void, Never>?

    deinit { task?.cancel() }

    /// - Parameter inTurn: whether to wait until the previous task has ended, which may take a while after its
    ///   cancellation.
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
