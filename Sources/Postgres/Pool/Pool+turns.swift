import NIOConcurrencyHelpers

/// Taking a connection and giving it back, in turns.
extension Pool {
    func take(until deadline: ContinuousClock.Instant) async throws -> Connection {
        var hasWaited = false
        while true {
            switch try state.withLockedValue({ try $0.take(hasWaited: hasWaited, at: .now) }) {
            case .take(let connection): return connection
            case .open(let attempt): if let connection = try await open(attempt, until: deadline) { return connection }
            case .wait(let id):
                // nil means that the caller is to try again.
                if let connection = try await wait(as: id, until: deadline) { return connection }
                hasWaited = true
            }
        }
    }

    /// Waits in the queue for a connection, or for a free place, which is nil.
    private func wait(as id: UInt64, until deadline: ContinuousClock.Instant) async throws -> Connection? {
        defer { state.withLockedValue { $0.endWait() } }
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
                guard state.withLockedValue({ $0.enter(continuation, as: id) }) else {
                    return continuation.resume(throwing: PostgresError.closedPool)
                }
                // A place may have become free, or the task may have been cancelled, before the waiter was in the
                // queue.
                if Task.isCancelled { leaveQueue(id) } else { wake() }
            }
        } onCancel: {
            leaveQueue(id)
        }
    }

    private func leaveQueue(_ id: UInt64) {
        let waiter = state.withLockedValue { $0.leave(id) }
        waiter?.resume(throwing: CancellationError())
    }

    // MARK: Giving back

    func giveBack(_ connection: Connection) async {
        let status = await connection.status
        switch state.withLockedValue({ $0.giveBack(connection, isReusable: status == .idle, at: .now) }) {
        case .handOver(let waiter): waiter.resume(returning: connection)
        case .keep: return
        case .close:
            await connection.close()
            state.withLockedValue { $0.closed() }
            wake()
        }
    }

    /// Wakes the waiters that can take their turn now. A timer wakes another one if time makes room for a connection.
    func wake() {
        let (woken, timer) = state.withLockedValue { state -> ([Waiter], ContinuousClock.Instant?) in
            guard state.hasWaiters else { return ([], nil) }
            // One reading of the clock: between two of them, it could become time, and neither would see that.
            let now = ContinuousClock.now
            return (state.wake(at: now), state.timer(at: now))
        }
        for waiter in woken { waiter.resume(returning: nil) }
        guard let timer else { return }
        Task {
            try? await ContinuousClock().sleep(until: timer)
            if state.withLockedValue({ $0.timerFired(timer) }) { wake() }
        }
    }
}
