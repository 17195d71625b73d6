import NIOConcurrencyHelpers
import ServiceLifecycle

/// The tasks that answer direct checks. A stop of the service waits for them, and cancels them when its time is over.
final class CheckTasks: Service {
    private struct State {
        var running: [UInt64: Task<Void, Never>] = [:]
        var lastID: UInt64 = 0
        var isCancelled = false
    }

    private let state = NIOLockedValueBox(State())

    /// Runs `body` in a task.
    func run(_ body: @escaping @Sendable () async -> Void) {
        state.withLockedValue { state in
            state.lastID += 1
            let id = state.lastID
            let task = Task { [self] in
                await body()
                self.state.withLockedValue { $0.running[id] = nil }
            }
            state.running[id] = task
            if state.isCancelled { task.cancel() }
        }
    }

    func run() async {
        await withTaskCancellationHandler {
            try? await gracefulShutdown()
            while let task = state.withLockedValue(\.running.values.first) { await task.value }
        } onCancel: {
            let running = state.withLockedValue { state in
                state.isCancelled = true
                return Array(state.running.values)
            }
            for task in running { task.cancel() }
        }
    }
}
