import NIOConcurrencyHelpers

/// Taking a connection and giving it back, in turns.
extension Pool {
    private enum Turn {
        case take(Connection), open(isTry: Bool), wait(UInt64)
    }

    func take(until deadline: ContinuousClock.Instant) async throws -> Connection {
        while true {
            switch try nextTurn() {
            case .take(let connection): return connection
            case .open(let isTry): if let connection = try await open(isTry, until: deadline) { return connection }
            case .wait(let id):
                // nil means that a place has become free: try again.
                if let connection = try await wait(as: id, until: deadline) { return connection }
            }
        }
    }

    private func nextTurn() throws -> Turn {
        try state.withLockedValue { state in
            if state.isClosed { throw Self.closed }
            if let connection = state.idle.popLast() { return .take(connection) }
            if state.mayOpen(configuration.size) {
                state.count += 1
                guard state.outage != nil else { return .open(isTry: false) }
                // This caller tries to open a connection; until it succeeds or fails, the others get the known error.
                state.outage?.retryAt = .now + configuration.timeout
                state.tries += 1
                return .open(isTry: true)
            }
            if let outage = state.outage, !state.hasConnections { throw outage.error }
            guard state.waitingCount < configuration.maxWaiters else {
                throw PostgresError(.overloaded, "too many callers are waiting for the database")
            }
            state.waitingCount += 1
            state.lastID += 1
            return .wait(state.lastID)
        }
    }

    /// Waits in the queue for a connection, or for a free place, which is nil.
    private func wait(as id: UInt64, until deadline: ContinuousClock.Instant) async throws -> Connection? {
        defer { state.withLockedValue { $0.waitingCount -= 1 } }
        return try await withThrowingTaskGroup(of: Connection?.self) { group in
            group.addTask { try await self.queue(as: id) }
            group.addTask {
                try await ContinuousClock().sleep(until: deadline)
                throw PostgresError(.timedOut, "no connection to the database became free in time")
            }
            do {
                let connection = try await group.next() ?? nil
                group.cancelAll()
                return connection
            } catch {
                group.cancelAll()
                // The hand-over may have happened at the same moment. Then this must give the connection back, or offer
                // the place to the next waiter.
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
                if isClosed { continuation.resume(throwing: Self.closed) }
                // A place may have become free, or the task may have been cancelled, before the waiter was in the
                // queue.
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

    func giveBack(_ connection: Connection) async {
        let givesWay = state.withLockedValue { state in
            defer { state.givesWay = false }
            return state.givesWay && state.hasOneToSpare
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

    /// Wakes the first waiter if there is an idle connection or room for a new one. Wakes all waiters if there is no
    /// connection to wait for.
    func wake() {
        let woken = state.withLockedValue { state -> [Waiter] in
            let isHopeless = state.outage != nil && !state.hasConnections
            guard isHopeless || !state.idle.isEmpty || state.mayOpen(configuration.size) else { return [] }
            let woken = isHopeless ? state.waiters[...] : state.waiters.prefix(1)
            state.waiters.removeFirst(woken.count)
            return woken.map(\.continuation)
        }
        for waiter in woken { waiter.resume(returning: nil) }
    }
}
