/// A task at a time: a new one takes the place of the one before.
@MainActor final class Slot {
    private var task: Task<Void, Never>?

    deinit { task?.cancel() }

    func run(_ work: @escaping @MainActor () async -> Void) {
        task?.cancel()
        task = Task { await work() }
    }

    func cancel() {
        task?.cancel()
        task = nil
    }
}
