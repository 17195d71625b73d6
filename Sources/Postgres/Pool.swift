import NIOConcurrencyHelpers

/// A bounded number of connections that callers take turns with.
///
/// It fails fast: while there is no connection and none can be opened, callers hear so at once and one try is made at a
/// time; and only so many may wait. When the server allows fewer connections than it may have, callers share those. A
/// connection that comes back in the middle of a message or a transaction is closed.
package final class Pool: Sendable {
    private typealias Waiter = CheckedContinuation<Connection?, any Error>

    private struct State {
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
        /// Whether one of the connections is to be closed for somebody who goes first.
        var givesWay = false
        /// Set while no connection can be opened: what to tell callers, and until when not to try again.
        var outage: (error: PostgresError, retryAt: ContinuousClock.Instant, delay: Duration)?

        /// Whether there is a connection to wait for.
        var hasConnections: Bool { count > tries }

        /// Whether a connection may be opened now.
        func mayOpen(_ size: Int) -> Bool { count < size && outage.map { $0.retryAt <= .now } ?? true }
    }

    package let configuration: Configuration
    private let state = NIOLockedValueBox(State())

    /// Connections to the same server that have to stand back when this pool can open none.
    private let behind: Pool?

    /// - Parameter behind: a pool of connections to the same server, which gives one of them up when this pool has none and
    ///   can open none: the server may allow no more.
    package init(_ configuration: Configuration, aheadOf behind: Pool? = nil) {
        self.configuration = configuration
        self.behind = behind
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
        case take(Connection), open(isTry: Bool), wait(UInt64)
    }

    private func take(until deadline: ContinuousClock.Instant) async throws -> Connection {
        while true {
            switch try nextTurn() {
            case .take(let connection): return connection
            case .open(let isTry): if let connection = try await open(isTry, until: deadline) { return connection }
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
            if state.mayOpen(configuration.size) {
                state.count += 1
                guard state.outage != nil else { return .open(isTry: false) }
                // This caller tries; the others go by what is known until it knows.
                state.outage?.retryAt = .now + configuration.timeout
                state.tries += 1
                return .open(isTry: true)
            }
            if let outage = state.outage, !state.hasConnections { throw outage.error }
            guard state.waitingCount < configuration.maxWaiters else {
                throw PostgresError(.overloaded, "too many callers wait for the database")
            }
            state.waitingCount += 1
            state.lastID += 1
            return .wait(state.lastID)
        }
    }

    /// Opens a connection.
    /// - Returns: nil when that can't be done now and there are others to wait for.
    private func open(_ isTry: Bool, until deadline: ContinuousClock.Instant) async throws -> Connection? {
        let start = ContinuousClock.now
        do {
            let connection = try await Connection.open(configuration.conninfo, until: deadline)
            do {
                try await connection.run(script: configuration.sessionScript, until: deadline)
            } catch {
                await connection.close()
                throw error
            }
            state.withLockedValue { state in
                if isTry { state.tries -= 1 }
                state.outage = nil
            }
            // There may be more where this came from.
            wake()
            return connection
        } catch {
            let others = state.withLockedValue { state in
                state.count -= 1
                if isTry { state.tries -= 1 }
                noteOutage(error, after: .now - start, in: &state)
                return state.hasConnections
            }
            wake()
            if others, let error = error as? PostgresError, error.code != .timedOut { return nil }
            await behind?.giveWay()
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
                    if let connection { await giveBack(connection) } else { wake() }
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
                if Task.isCancelled { leaveQueue(id) } else { wake() }
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
        let givesWay = state.withLockedValue { state in
            defer { state.givesWay = false }
            return state.givesWay
        }
        if !givesWay, await connection.isReusable {
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
        wake()
    }

    /// Has the first waiter look again if there is an idle connection or room for a new one for it, and all of them when
    /// there is no connection to wait for.
    private func wake() {
        let woken = state.withLockedValue { state -> [Waiter] in
            let isHopeless = state.outage != nil && !state.hasConnections
            guard isHopeless || !state.idle.isEmpty || state.mayOpen(configuration.size) else { return [] }
            let woken = isHopeless ? state.waiters[...] : state.waiters.prefix(1)
            state.waiters.removeFirst(woken.count)
            return woken.map(\.continuation)
        }
        for waiter in woken { waiter.resume(returning: nil) }
    }

    /// Closes a connection, as soon as one is free, for somebody who has none and could not open one; the last one stays.
    private func giveWay() async {
        let idle = state.withLockedValue { state -> Connection? in
            guard state.count - state.tries > 1 else { return nil }
            // Who goes first tries again within a second.
            let error = state.outage?.error ?? PostgresError(.unavailable, "the server allows no more connections")
            state.outage = (error, .now + Self.shortestPatience * 2, configuration.longestRetryDelay)
            guard let idle = state.idle.popLast() else {
                state.givesWay = true
                return nil
            }
            state.count -= 1
            return idle
        }
        await idle?.close()
    }
}
