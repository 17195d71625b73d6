import NIOConcurrencyHelpers

/// Lets concurrent callers share one run of an operation.
///
/// A caller that arrives during a run gets its result. A cancelled caller leaves at once, and the run goes on for the
/// others.
package final class SingleFlight<Value: Sendable>: Sendable {
    private struct State {
        var run: Task<Value, any Error>?
        var callers = 0
    }

    private let state = NIOLockedValueBox(State())

    package init() {}

    /// Number of calls so far that began or joined a run.
    package var callers: Int { state.withLockedValue(\.callers) }

    /// Joins the run under way, or begins one.
    /// - Throws: `CancellationError` at once if the caller is cancelled; errors of the operation.
    package func run(_ operation: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await Self.value(of: state.withLockedValue { join($0.run ?? begin(operation), &$0) })
    }

    /// Joins the run under way, or begins one if it may.
    /// - Parameter mayBegin: called only if no run is under way.
    /// - Returns: nil if no run is under way and none may begin.
    package func run(
        if mayBegin: () -> Bool, _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        let run = state.withLockedValue { state -> Task<Value, any Error>? in
            guard state.run != nil || mayBegin() else { return nil }
            return join(state.run ?? begin(operation), &state)
        }
        guard let run else { return nil }
        return try await Self.value(of: run)
    }

    private func join(_ run: Task<Value, any Error>, _ state: inout State) -> Task<Value, any Error> {
        state.run = run
        state.callers += 1
        return run
    }

    /// Begins a run. It is not a child task of its callers, so cancelling one does not end it for the others.
    private func begin(_ operation: @escaping @Sendable () async throws -> Value) -> Task<Value, any Error> {
        Task {
            defer { state.withLockedValue { $0.run = nil } }
            return try await operation()
        }
    }

    /// Waits until the run has ended or the caller is cancelled: awaiting the value of a task ignores that.
    private static func value(of run: Task<Value, any Error>) async throws -> Value {
        let (signal, announcement) = AsyncStream<Never>.makeStream()
        Task {
            _ = await run.result
            announcement.finish()
        }
        for await _ in signal {}
        try Task.checkCancellation()
        return try await run.value
    }
}
