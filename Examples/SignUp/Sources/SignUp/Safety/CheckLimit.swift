/// The rate limit of checks for each session. It is above the speed of typing, and too low to list the names in use.
actor CheckLimit {
    private static let burst = 60.0
    private static let perSecond = 4.0
    /// Above this number, sessions with a full quota are evicted.
    private static let mostSessions = 10_000

    private struct Share {
        var left: Double
        var at: ContinuousClock.Instant
    }

    private var shares: [SessionID: Share] = [:]

    /// Takes one check from the session's quota.
    /// - Returns: nil if it is allowed, else the seconds until the next one.
    func pause(for session: SessionID) -> Int? {
        let now = ContinuousClock.now
        if shares.count > Self.mostSessions { shares = shares.filter { Self.left($0.value, now) < Self.burst } }
        let left = shares[session].map { Self.left($0, now) } ?? Self.burst
        guard left >= 1 else { return 1 }
        shares[session] = Share(left: left - 1, at: now)
        return nil
    }

    private static func left(_ share: Share, _ now: ContinuousClock.Instant) -> Double {
        min(burst, share.left + (now - share.at) / .seconds(1) * perSecond)
    }
}
