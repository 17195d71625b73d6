import HandleRegistry

/// Use of all quotas. Each kind of caller has its own table, so no kind can fill the table of another.
final class Quotas: Sendable {
    /// By key id. Each key has its place: only admins make keys, so there are few.
    let keys = RateLimiter<String>(remembered: 1 << 30)
    /// People with an identity token, by owner id.
    let people: RateLimiter<String>
    /// Callers without a key or token.
    let anonymous: NetworkLimiter
    /// Invalid tokens that were verified, by the caller's address.
    let badTokens: NetworkLimiter
    /// All callers together.
    private let global = RateLimiter<Bool>(remembered: 1)

    /// - Parameter remembered: maximum number of callers of each kind in memory, except keys.
    init(remembered: Int) {
        people = RateLimiter(remembered: remembered)
        (anonymous, badTokens) = (NetworkLimiter(remembered: remembered), NetworkLimiter(remembered: remembered))
    }

    /// Takes one call from the global quota.
    func takeGlobal(_ rate: Rate) -> Bool { global.take(of: rate, for: true).isAllowed }
}
