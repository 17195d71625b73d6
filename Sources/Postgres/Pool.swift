import NIOConcurrencyHelpers

/// A bounded pool of connections.
///
/// It fails fast: while there is no connection and none can be opened, callers get the error at once and only one
/// caller at a time tries to connect. The number of waiters is limited. When the server allows fewer connections than
/// ``Configuration/size``, callers share those. A connection that is returned in the middle of a message or a
/// transaction is closed.
package final class Pool: Sendable {
    typealias Waiter = CheckedContinuation<Connection?, any Error>

    struct State {
        var idle: [Connection] = []
        /// Connections that exist or are being opened.
        var count = 0
        /// The attempts among them that were begun during an outage.
        var tries = 0
        var waiters: [(id: UInt64, continuation: Waiter)] = []
        /// Callers that wait: those in the queue, and those about to enter or leave it.
        var waitingCount = 0
        var lastID: UInt64 = 0
        var isClosed = false
        /// A pool of connections to the same server, which may allow fewer connections than both pools together may
        /// have.
        var other: Pool?
        /// Until then, free places are left to ``other``.
        var standsBackUntil: ContinuousClock.Instant?
        /// Whether one of the connections is to be closed for ``other``.
        var givesWay = false
        /// The number of failed attempts to open a connection so far.
        var failures: UInt64 = 0
        /// Set while no connection can be opened: the error for callers, and the time of the next attempt.
        var outage: (error: PostgresError, retryAt: ContinuousClock.Instant, delay: Duration)?

        /// Whether there is a connection to wait for.
        var hasConnections: Bool { count > tries }

        /// Whether a connection may be closed for another pool: the last one stays.
        var hasOneToSpare: Bool { count - tries > 1 }

        /// Whether a connection may be opened now.
        func mayOpen(_ size: Int) -> Bool {
            if hasConnections, let standsBackUntil, standsBackUntil > .now { return false }
            return count < size && outage.map { $0.retryAt <= .now } ?? true
        }
    }

    package let configuration: Configuration
    let state = NIOLockedValueBox(State())

    package init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    /// Links two pools of connections to one server: each gives up a connection while the other has none and can't open
    /// one, because the server may allow fewer than both may have. The server must allow at least two.
    package func share(with other: Pool) {
        state.withLockedValue { $0.other = other }
        other.state.withLockedValue { $0.other = self }
    }

    /// The current numbers.
    package struct Metrics: Sendable {
        /// Connections that exist or are being opened.
        package let connections: Int
        /// Connections that are not in use.
        package let idle: Int
        /// Callers that wait for a connection.
        package let waiting: Int
    }

    package var metrics: Metrics {
        state.withLockedValue {
            Metrics(connections: $0.count, idle: $0.idle.count, waiting: $0.waitingCount)
        }
    }

    /// Runs `body` with a connection that no other caller uses meanwhile.
    /// - Throws: ``PostgresError`` `.unavailable`, `.overloaded`, `.timedOut`; the errors of `body`.
    package func withConnection<Result: Sendable>(
        until deadline: ContinuousClock.Instant, _ body: (Connection) async throws -> Result
    ) async throws -> Result {
        let connection = try await take(until: deadline)
        do {
            let result = try await body(connection)
            await giveBack(connection)
            return result
        } catch {
            // This server is a standby, or has become one, and the idle connections may lead to it too. New connections
            // look for the primary again.
            if (error as? PostgresError)?.isReadOnly == true {
                await connection.close()
                await closeIdle()
            }
            await giveBack(connection)
            throw error
        }
    }

    /// Runs `body` with a connection that is closed afterwards, so that `body` may change the session's settings.
    /// - Throws: ``PostgresError``; the errors of `body`.
    package func withOwnConnection<Result: Sendable>(
        until deadline: ContinuousClock.Instant, _ body: (Connection) async throws -> Result
    ) async throws -> Result {
        let connection = try await Connection.open(configuration.conninfo, until: deadline)
        do {
            let result = try await body(connection)
            await connection.close()
            return result
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Closes the idle connections; new ones are opened when they are needed.
    package func closeIdle() async {
        let idle = state.withLockedValue { state in
            defer { state.idle = [] }
            state.count -= state.idle.count
            return state.idle
        }
        for connection in idle { await connection.close() }
        wake()
    }

    /// Closes the connections. A connection in use is closed when it is given back.
    package func close() async {
        let (idle, waiters) = state.withLockedValue { state in
            (state.isClosed, state.other) = (true, nil)
            defer { (state.idle, state.waiters) = ([], []) }
            return (state.idle, state.waiters)
        }
        for waiter in waiters { waiter.continuation.resume(throwing: Self.closed) }
        for connection in idle { await connection.close() }
    }

    static let closed = PostgresError(.closed, "the service is stopping")
}
