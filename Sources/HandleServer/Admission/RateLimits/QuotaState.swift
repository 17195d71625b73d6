/// State of a quota after a call.
struct QuotaState: Sendable, Equatable {
    let isAllowed: Bool
    /// How much of the quota is left.
    let remaining: Int
    /// Seconds until the quota is full again.
    let reset: Int
    /// Seconds until the same call would be allowed; 0 when it was allowed.
    let retryAfter: Int

    /// Whether this quota restricts the caller more than the other one.
    func isTighter(than other: QuotaState) -> Bool {
        guard isAllowed == other.isAllowed else { return other.isAllowed }
        return isAllowed ? remaining < other.remaining : retryAfter > other.retryAfter
    }
}
