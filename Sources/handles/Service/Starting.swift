import NIOConcurrencyHelpers
import UnixSignals

/// The phase before there are services to stop. A signal in this phase cancels the start.
final class Starting: Sendable {
    private let isDone = NIOLockedValueBox(false)

    /// Ends the phase; from now on the services handle signals.
    func end() { isDone.withLockedValue { $0 = true } }

    /// Runs the start and everything after it.
    /// - Throws: `CancellationError` for a signal during the start; errors of `body`.
    func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(operation: body)
            group.addTask { [isDone] in
                // Continues until the body has finished, which cancels this task.
                for await _ in signals where !isDone.withLockedValue(\.self) { throw CancellationError() }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
