import NIOConcurrencyHelpers

/// A bounded number of connections that callers take turns with.
///
/// It fails fast: while there is no connection and none can be opened, callers hear so at once and one try is made at a
/// time; and only so many may wait. When the server allows fewer connections than it may have, callers share those. A
/// connection that comes back in the middle of a message or a transaction is closed.
package final class Pool: Sendable {
    typealias Waiter = CheckedContinuation<Connection?, any Error>

    struct State {
        var idle: [Connection] = []
        /// Connections that exist or are being opened.
        var count = 0
        /// Those of them that are tries to open one although the last could not be opened.
        var tries = 0
        var waiters: [(id: UInt64, continuation: Waiter)] = []
        /// Callers that were told to wait: those in the queue and those on their way to it or from it.
        var waitingCount = 0
        var lastID: UInt64 = 0
        var isClosed = false
        /// A pool of connections to the same server, which may allow fewer than both may have.
        var other: Pool?
        /// Until when places are left to ``other``.
        var standsBackUntil: ContinuousClock.Instant?
        /// Whether one of the connections is to be closed for ``other``.
        var givesWay = false
        /// How many connections could not be opened so far.
        var failures: UInt64 = 0
        /// Set while no connection can be opened: what to tell callers, and until when not to try again.
        var outage: (error: PostgresError, retryAt: ContinuousClock.Instant, delay: Duration)?

        /// Whether there is a connection to wait for.
        var hasConnections: Bool { count > tries }

        /// Whether another pool may have a connection: the last one stays.
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

    /// Has each of two pools of connections to one server give one up while the other has none and can open none: the
    /// server may allow fewer than both may have. It has to allow two.
    package func share(with other: Pool) {
        state.withLockedValue { $0.other = other }
        other.state.withLockedValue { $0.other = self }
    }

    /// How things stand now.
    package struct Figures: Sendable {
        /// Connections that exist or are being opened.
        package let connections: Int
        /// Those of them that nobody uses.
        package let idle: Int
        /// Callers that wait for one.
        package let waiting: Int
    }

    package var figures: Figures {
        state.withLockedValue {
            Figures(connections: $0.count, idle: $0.idle.count, waiting: $0.waitingCount)
        }
    }

    /// Runs `body` with a connection of its own.
    /// - Throws: ``PostgresError`` `.unavailable`, `.overloaded`, `.timedOut`; what `body` throws.
    package func withConnection<Result: Sendable>(
        until deadline: ContinuousClock.Instant, _ body: (Connection) async throws -> Result
    ) async throws -> Result {
        let connection = try await take(until: deadline)
        do {
            let result = try await body(connection)
            await giveBack(connection)
            return result
        } catch {
            // It leads to a standby, or to what has become one; so may the idle ones. New ones look again for the primary.
            if (error as? PostgresError)?.isReadOnly == true {
                await connection.close()
                await closeIdle()
            }
            await giveBack(connection)
            throw error
        }
    }

    /// Runs `body` with a connection that nobody else gets afterwards, so that it may change the session's settings.
    /// - Throws: ``PostgresError``; what `body` throws.
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

    /// Closes the connections that nobody uses at the moment; new ones take their place when they are needed.
    package func closeIdle() async {
        let idle = state.withLockedValue { state in
            defer { state.idle = [] }
            state.count -= state.idle.count
            return state.idle
        }
        for connection in idle { await connection.close() }
        wake()
    }

    /// Closes the connections; one that is in use is closed when it comes back.
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
