import NIOConcurrencyHelpers
import UnixSignals

/// The time before there are services to stop: a signal cancels whatever the start waits for.
final class Starting: Sendable {
    private let isDone = NIOLockedValueBox(false)

    /// From now on somebody else obeys signals.
    func end() { isDone.withLockedValue { $0 = true } }

    /// Runs the start and all that comes after it.
    /// - Throws: `CancellationError` when a signal came during the start; what `body` throws.
    func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(operation: body)
            group.addTask { [isDone] in
                // Goes on until the body is done, which cancels it.
                for await _ in signals where !isDone.withLockedValue(\.self) { throw CancellationError() }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
