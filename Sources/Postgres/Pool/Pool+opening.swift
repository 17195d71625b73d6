import NIOConcurrencyHelpers

/// Opens connections.
extension Pool {
    typealias Attempt = PoolState<Connection, Waiter>.Attempt

    /// Opens a connection.
    /// - Returns: nil when that is not possible now and there are other connections to wait for.
    func open(_ attempt: Attempt, until deadline: ContinuousClock.Instant) async throws -> Connection? {
        var attempt = attempt
        let start = ContinuousClock.now
        while true {
            do {
                let connection = try await openSession(until: deadline)
                state.withLockedValue { $0.opened(attempt) }
                // The server may allow more connections now.
                wake()
                return connection
            } catch {
                let time = ContinuousClock.now - start
                let hasOthers = state.withLockedValue {
                    $0.giveUpIfOthers(attempt, after: error, in: time, at: .now)
                }
                if !hasOthers {
                    if await mayComeFree(&attempt, after: error, until: deadline) { continue }
                    state.withLockedValue { $0.giveUp(attempt, after: error, in: .now - start, at: .now) }
                }
                wake()
                if hasOthers, let error = error as? PostgresError, error.code != .timedOut { return nil }
                throw error
            }
        }
    }

    private func openSession(until deadline: ContinuousClock.Instant) async throws -> Connection {
        let connection = try await Connection.open(configuration.conninfo, until: deadline)
        do {
            if !keepsSessions.withLockedValue(\.self) {
                try await connection.proveSessions(of: configuration.conninfo, until: deadline)
                keepsSessions.withLockedValue { $0 = true }
            }
            try await connection.run(script: configuration.sessionScript, until: deadline)
            return connection
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Waits a little if the server refused the connection and may soon allow it.
    private func mayComeFree(
        _ attempt: inout Attempt, after error: any Error, until deadline: ContinuousClock.Instant
    ) async -> Bool {
        guard (error as? PostgresError)?.code == .unavailable else { return false }
        let other = other.withLockedValue(\.self)
        let otherYields = await other?.yieldOne(for: configuration.timeout / 5) ?? false
        let pause = state.withLockedValue {
            $0.retry(&attempt, otherYields: otherYields, until: deadline, at: .now)
        }
        guard let pause else { return false }
        // No event tells that the server accepts connections again.
        try? await Task.sleep(for: pause)
        return !Task.isCancelled
    }

    /// Closes a connection, as soon as one is idle, for a pool that has none and can't open one. The last connection
    /// stays.
    /// - Parameter time: how long the place is left to the other pool.
    /// - Returns: true if a connection is closed later.
    private func yieldOne(for time: Duration) async -> Bool {
        switch state.withLockedValue({ $0.yield(for: time, at: .now) }) {
        case .close(let connection):
            await connection.close()
            return true
        case .later: return true
        case .none: return false
        }
    }
}
