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
        let late = PostgresError(.timedOut, "no connection to the database became free in time")
        let timer = Task {
            try await ContinuousClock().sleep(until: deadline)
            leaveQueue(id, because: late)
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: Waiter) in
                guard state.withLockedValue({ $0.enter(continuation, as: id) }) else {
                    return continuation.resume(throwing: PostgresError.closedPool)
                }
                // The task may have been cancelled, the time may have been over, or a place may have become free, before
                // the waiter was in the queue.
                if Task.isCancelled { return leaveQueue(id, because: CancellationError()) }
                if .now >= deadline { return leaveQueue(id, because: late) }
                wake()
            }
        } onCancel: {
            leaveQueue(id, because: CancellationError())
        }
    }

    private func leaveQueue(_ id: UInt64, because error: any Error) {
        let waiter = state.withLockedValue { $0.leave(id) }
        waiter?.resume(throwing: error)
    }

    // MARK: Giving back

    func giveBack(_ connection: Connection) async {
        let isIdle = await connection.isIdle
        switch state.withLockedValue({ $0.giveBack(connection, isReusable: isIdle, at: .now) }) {
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
