import NIOConcurrencyHelpers

/// Opens connections, and tracks outages.
extension Pool {
    /// The place in the pool that a connection is opened for.
    private struct Place {
        /// Whether this is an attempt during an outage.
        var isTry: Bool
        /// The number of failed attempts before this one began.
        let failures: UInt64
        /// The end of retries after a failure.
        var end: ContinuousClock.Instant?
        var pause = Duration.milliseconds(10)
        static let longestPause = Duration.milliseconds(80)
    }

    /// Opens a connection.
    /// - Returns: nil when that is not possible now and there are other connections to wait for.
    func open(_ isTry: Bool, until deadline: ContinuousClock.Instant) async throws -> Connection? {
        let start = ContinuousClock.now
        var place = Place(isTry: isTry, failures: state.withLockedValue(\.failures))
        while true {
            do {
                let connection = try await openSession(until: deadline)
                state.withLockedValue { state in
                    if place.isTry { state.tries -= 1 }
                    state.outage = nil
                }
                // The server may allow more connections now.
                wake()
                return connection
            } catch {
                let isLast = leave(place, unlessLast: true, after: error, .now - start)
                if isLast {
                    let isRefused = (error as? PostgresError)?.code == .unavailable
                    if isRefused, await mayComeFree(&place, until: deadline) { continue }
                    leave(place, after: error, .now - start)
                }
                wake()
                if !isLast, let error = error as? PostgresError, error.code != .timedOut { return nil }
                throw error
            }
        }
    }

    private func openSession(until deadline: ContinuousClock.Instant) async throws -> Connection {
        let connection = try await Connection.open(configuration.conninfo, until: deadline)
        do {
            try await connection.run(script: configuration.sessionScript, until: deadline)
            return connection
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Gives up a place after a failed attempt to open a connection.
    /// - Parameter unlessLast: whether to keep the place when there is no other connection to wait for.
    /// - Returns: whether there is no other connection.
    @discardableResult private func leave(
        _ place: Place, unlessLast: Bool = false, after error: any Error, _ patience: Duration
    ) -> Bool {
        state.withLockedValue { state in
            let isLast = state.count - state.tries <= (place.isTry ? 0 : 1)
            if isLast, unlessLast { return true }
            state.count -= 1
            state.failures += 1
            if place.isTry { state.tries -= 1 }
            noteOutage(error, after: patience, in: &state)
            return isLast
        }
    }

    /// Waits a little if the server may soon allow the connection: because another pool gives one up, or because other
    /// connections were being opened at the same moment, which the server counts until it has refused them too.
    private func mayComeFree(_ place: inout Place, until deadline: ContinuousClock.Instant) async -> Bool {
        let (other, failures) = state.withLockedValue { ($0.other, $0.failures) }
        if await other?.giveWay(for: configuration.timeout / 5) == true {
            place.end = min(deadline, .now + configuration.timeout / 5)
        } else if failures != place.failures, place.end == nil {
            place.end = min(deadline, .now + configuration.timeout / 20)
        }
        guard let end = place.end, .now + place.pause < end else { return false }
        // It is expected to open: callers wait for it.
        if place.isTry {
            place.isTry = false
            state.withLockedValue { $0.tries -= 1 }
        }
        // No event tells that the server accepts connections again.
        try? await Task.sleep(for: place.pause)
        place.pause = min(place.pause * 2, Place.longestPause)
        return !Task.isCancelled
    }

    /// Closes a connection, as soon as one is idle, for a pool that has none and can't open one. The last connection
    /// stays.
    /// - Parameter time: how long the place is left to the other pool.
    /// - Returns: false when there is no connection to spare.
    private func giveWay(for time: Duration) async -> Bool {
        let (idle, givesWay) = state.withLockedValue { state -> (Connection?, Bool) in
            guard state.hasOneToSpare else { return (nil, false) }
            state.standsBackUntil = .now + time
            guard let idle = state.idle.popLast() else {
                state.givesWay = true
                return (nil, true)
            }
            state.count -= 1
            return (idle, true)
        }
        await idle?.close()
        return givesWay
    }

    private func noteOutage(_ error: any Error, after patience: Duration, in state: inout State) {
        guard let error = error as? PostgresError, error.code != .timedOut || patience >= Self.shortestPatience else {
            // Cancelled, or the caller had hardly any time left: that says nothing about the server, so the next caller
            // tries.
            state.outage?.retryAt = .now
            return
        }
        let delay = min((state.outage?.delay ?? configuration.firstRetryDelay / 2) * 2, configuration.longestRetryDelay)
        state.outage = (error, .now + delay, delay)
    }

    /// A server that does not answer for this long counts as unreachable.
    private static let shortestPatience = Duration.seconds(1)
}
