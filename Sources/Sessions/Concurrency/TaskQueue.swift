/// Runs operations one after another, in the order of the calls. Cancelling a caller stops none of them.
@MainActor final class TaskQueue {
    private var last: Task<Void, Never>?

    init() {}

    /// Runs an operation after all earlier ones.
    func run<Value: Sendable, Failure: Error>(
        _ operation: @escaping @MainActor () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let earlier = last
        let task = Task { () -> Result<Value, Failure> in
            await earlier?.value
            do throws(Failure) {
                return .success(try await operation())
            } catch {
                return .failure(error)
            }
        }
        last = Task { _ = await task.value }
        return try await task.value.get()
    }

    /// Starts an operation at once, beside the one that is running. Only later ones wait for it.
    func start<Value: Sendable>(_ operation: @escaping @MainActor () async -> Value) -> Task<Value, Never> {
        let (earlier, task) = (last, Task { await operation() })
        last = Task {
            await earlier?.value
            _ = await task.value
        }
        return task
    }
}
