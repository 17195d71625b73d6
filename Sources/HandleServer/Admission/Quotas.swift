import HandleRegistry

/// How much of their quotas callers have used. Each kind of caller has a table of its own, so that none can fill another's.
final class Quotas: Sendable {
    /// By the key's id. Only admins make keys, so there are few, and each has its place.
    let keys = RateLimiter<String>(remembered: 1 << 30)
    /// People with an identity token, by their owner's id.
    let people: RateLimiter<String>
    /// Callers without a key or token.
    let strangers: NetworkLimiter
    /// Tokens that were checked and were not good, by the address that showed them.
    let badTokens: NetworkLimiter
    /// All callers together.
    private let everybody = RateLimiter<Bool>(remembered: 1)

    /// - Parameter remembered: callers of each kind, keys apart, that are remembered at most.
    init(remembered: Int) {
        people = RateLimiter(remembered: remembered)
        (strangers, badTokens) = (NetworkLimiter(remembered: remembered), NetworkLimiter(remembered: remembered))
    }

    /// Takes one call from what all callers may ask together.
    func takeOfEverybody(_ rate: Rate) -> Bool { everybody.take(of: rate, for: true).isAllowed }
}
