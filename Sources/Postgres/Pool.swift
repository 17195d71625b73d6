import NIOConcurrencyHelpers

/// A bounded number of connections that callers take turns with.
///
/// It fails fast: while no connection can be opened, callers hear so at once and one try is made at a time; and only
/// so many may wait. A connection that comes back in the middle of a message or a transaction is closed.
package final class Pool: Sendable {
    package struct Configuration: Sendable {
        /// A libpq connection string or URL.
        package var conninfo: String
        /// Connections at most. PostgreSQL does best with a few for each of its cores.
        package var size = 16
        /// Callers that may wait for one of them; more are refused at once, as they would only wait in vain.
        package var maxWaiters = 1024
        /// How long a call may take in all, waiting for a connection included.
        package var timeout = usualTimeout
        package static let usualTimeout = Duration.seconds(5)
        /// How long to leave an unreachable server alone, at first and at most.
        package var firstRetryDelay = Duration.milliseconds(50)
        package var longestRetryDelay = Duration.milliseconds(500)
        /// SQL run once on every new connection.
        package var sessionScript: String

        /// - Parameter sessionScript: more SQL for each new connection.
        package init(conninfo: String, statementTimeout: Duration = .seconds(4), sessionScript more: String = "") {
            self.conninfo = conninfo
            let (seconds, attoseconds) = statementTimeout.components
            let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
            // The server gives up before we do, so that it does not work for nobody; and it ends a transaction that
            // nobody goes on with.
            sessionScript = """
                SET statement_timeout = \(milliseconds); SET lock_timeout = \(milliseconds);
                SET idle_in_transaction_session_timeout = \(2 * milliseconds);
                \(more)
                """
        }
    }

    private typealias Waiter = CheckedContinuation<Connection?, any Error>

    private struct State {
        var idle: [Connection] = []
        /// Connections that exist or are being opened.
        var count = 0
        var waiters: [(id: UInt64, continuation: Waiter)] = []
        /// Callers that were told to wait: those in the queue and those on their way to it or from it.
        var waitingCount = 0
        var lastID: UInt64 = 0
        var isClosed = false
        /// Set while the server can't be reached: what to tell callers, and until when not to try again.
        var outage: (error: PostgresError, retryAt: ContinuousClock.Instant, delay: Duration)?
    }

    package let configuration: Configuration
    private let state = NIOLockedValueBox(State())

    package init(_ configuration: Configuration) { self.configuration = configuration }

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
                await dropIdle()
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
    package func closeIdle() async { await dropIdle() }

    /// Closes the connections; one that is in use is closed when it comes back.
    package func close() async {
        let (idle, waiters) = state.withLockedValue { state in
            state.isClosed = true
            defer { (state.idle, state.waiters) = ([], []) }
            return (state.idle, state.waiters)
        }
        for waiter in waiters { waiter.continuation.resume(throwing: Self.closedError) }
        for connection in idle { await connection.close() }
    }

    /// A server that does not answer for so long is taken for unreachable.
    private static let shortestPatience = Duration.seconds(1)

    private static let closedError = PostgresError(.closed, "the service is stopping")

    // MARK: Taking

    private enum Turn {
        case take(Connection), open, wait(UInt64)
    }

    private func take(until deadline: ContinuousClock.Instant) async throws -> Connection {
        while true {
            switch try nextTurn() {
            case .take(let connection): return connection
            case .open: return try await open(until: deadline)
            case .wait(let id):
                // Nothing handed over means that a place has become free: look again.
                if let connection = try await wait(as: id, until: deadline) { return connection }
            }
        }
    }

    private func nextTurn() throws -> Turn {
        try state.withLockedValue { state in
            if state.isClosed { throw Self.closedError }
            if let connection = state.idle.popLast() { return .take(connection) }
            if state.count < configuration.size {
                if var outage = state.outage {
                    guard outage.retryAt <= .now else { throw outage.error }
                    // This caller tries; the others hear of the outage until it knows.
                    outage.retryAt = .now + configuration.timeout
                    state.outage = outage
                }
                state.count += 1
                return .open
            }
            guard state.waitingCount < configuration.maxWaiters else {
                throw PostgresError(.overloaded, "too many callers wait for the database")
            }
            state.waitingCount += 1
            state.lastID += 1
            return .wait(state.lastID)
        }
    }

    private func open(until deadline: ContinuousClock.Instant) async throws -> Connection {
        let start = ContinuousClock.now
        do {
            let connection = try await Connection.open(configuration.conninfo, until: deadline)
            do {
                try await connection.run(script: configuration.sessionScript, until: deadline)
            } catch {
                await connection.close()
                throw error
            }
            state.withLockedValue { $0.outage = nil }
            return connection
        } catch {
            let waiters = state.withLockedValue { state in
                state.count -= 1
                noteOutage(error, after: .now - start, in: &state)
                defer { state.waiters = [] }
                return state.waiters
            }
            // They look again, and hear of the outage.
            for waiter in waiters { waiter.continuation.resume(returning: nil) }
            throw error
        }
    }

    private func noteOutage(_ error: any Error, after patience: Duration, in state: inout State) {
        guard let error = error as? PostgresError, error.code != .timedOut || patience >= Self.shortestPatience else {
            // Cancelled, or a caller with hardly any time left: that says nothing about the server, so the next tries.
            state.outage?.retryAt = .now
            return
        }
        let delay = min((state.outage?.delay ?? configuration.firstRetryDelay / 2) * 2, configuration.longestRetryDelay)
        state.outage = (error, .now + delay, delay)
    }

    /// Waits in the queue until a connection or, as nil, a free place is handed over.
    private func wait(as id: UInt64, until deadline: ContinuousClock.Instant) async throws -> Connection? {
        defer { state.withLockedValue { $0.waitingCount -= 1 } }
        return try await withThrowingTaskGroup(of: Connection?.self) { group in
            group.addTask { try await self.queue(as: id) }
            group.addTask {
                try await ContinuousClock().sleep(until: deadline)
                throw PostgresError(.timedOut, "no connection to the database came free in time")
            }
            do {
                let connection = try await group.next() ?? nil
                group.cancelAll()
                return connection
            } catch {
                group.cancelAll()
                // The hand-over may have happened at the same moment: nobody else would give that connection back, or
                // offer that place to the next in the queue.
                while let late = await group.nextResult() {
                    guard case .success(let connection) = late else { continue }
                    if let connection { await giveBack(connection) } else { handFreePlaceOver() }
                }
                throw error
            }
        }
    }

    private func queue(as id: UInt64) async throws -> Connection? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: Waiter) in
                let isClosed = state.withLockedValue { state in
                    if !state.isClosed { state.waiters.append((id, continuation)) }
                    return state.isClosed
                }
                if isClosed { continuation.resume(throwing: Self.closedError) }
                // A place may have come free, or the task been cancelled, before the waiter was in the queue.
                if Task.isCancelled { leaveQueue(id) } else { handFreePlaceOver() }
            }
        } onCancel: {
            leaveQueue(id)
        }
    }

    private func leaveQueue(_ id: UInt64) {
        let waiter = state.withLockedValue { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiters.remove(at: index).continuation
        }
        waiter?.resume(throwing: CancellationError())
    }

    // MARK: Giving back

    private func giveBack(_ connection: Connection) async {
        if await connection.isReusable {
            let (waiter, isClosed) = state.withLockedValue { state -> (Waiter?, Bool) in
                if state.isClosed { return (nil, true) }
                if !state.waiters.isEmpty { return (state.waiters.removeFirst().continuation, false) }
                state.idle.append(connection)
                return (nil, false)
            }
            waiter?.resume(returning: connection)
            if !isClosed { return }
        }
        await connection.close()
        state.withLockedValue { $0.count -= 1 }
        handFreePlaceOver()
    }

    /// Wakes the first waiter if there is something for it: an idle connection or room for a new one.
    private func handFreePlaceOver() {
        let waiter = state.withLockedValue { state -> Waiter? in
            guard !state.waiters.isEmpty, !state.idle.isEmpty || state.count < configuration.size else { return nil }
            return state.waiters.removeFirst().continuation
        }
        waiter?.resume(returning: nil)
    }

    func dropIdle() async {
        let dropped = state.withLockedValue { state in
            defer { state.idle = [] }
            state.count -= state.idle.count
            return state.idle
        }
        for connection in dropped { await connection.close() }
        handFreePlaceOver()
    }
}
