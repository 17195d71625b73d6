import NIOConcurrencyHelpers

/// A bounded pool of connections.
///
/// It fails fast: while there is no connection and none can be opened, callers get the error at once and only one
/// caller at a time tries to connect. The number of waiters is limited. When the server allows fewer connections than
/// ``Configuration/size``, callers share those. A connection that is returned in the middle of a message or a
/// transaction is closed.
package final class Pool: Sendable {
    typealias Waiter = CheckedContinuation<Connection?, any Error>

    package let configuration: Configuration
    let state: NIOLockedValueBox<PoolState<Connection, Waiter>>
    /// Whether connections are known to keep their sessions.
    let keepsSessions = NIOLockedValueBox(false)
    /// A pool of connections to the same server, which may allow fewer connections than both pools together may have.
    let other = NIOLockedValueBox<Pool?>(nil)

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        state = NIOLockedValueBox(PoolState(configuration))
    }

    /// Links two pools of connections to one server: each gives up a connection while the other has none and can't open
    /// one, because the server may allow fewer than both may have. The server must allow at least two.
    package func share(with other: Pool) {
        self.other.withLockedValue { $0 = other }
        other.other.withLockedValue { $0 = self }
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

    package var metrics: Metrics { state.withLockedValue(\.metrics) }

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
        try await Connection.withNew(configuration.conninfo, until: deadline) { connection in
            if !keepsSessions.withLockedValue(\.self) {
                try await connection.proveSessions(of: configuration.conninfo, until: deadline)
            }
            return try await body(connection)
        }
    }

    /// Closes the idle connections; new ones are opened when they are needed.
    package func closeIdle() async {
        let idle = state.withLockedValue { $0.takeIdle() }
        for connection in idle { await connection.close() }
        wake()
    }

    /// Closes the connections that were not used for ``Configuration/idleTime``; to be called about once a minute.
    package func closeUnused() async {
        let idle = state.withLockedValue { $0.takeIdle(since: .now - configuration.idleTime) }
        for connection in idle { await connection.close() }
    }

    /// Lowers the maximum number of connections, to at least one.
    package func limit(to size: Int) { state.withLockedValue { $0.limit(to: size) } }

    /// Closes the connections. A connection in use is closed when it is given back.
    package func close() async {
        other.withLockedValue { $0 = nil }
        let (idle, waiters) = state.withLockedValue { $0.close() }
        for waiter in waiters { waiter.resume(throwing: PostgresError.closedPool) }
        for connection in idle { await connection.close() }
    }
}
