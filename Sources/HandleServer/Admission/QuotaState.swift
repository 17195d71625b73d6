/// Where somebody stands after a call.
struct QuotaState: Sendable, Equatable {
    let isAllowed: Bool
    /// How much may still be asked at once.
    let remaining: Int
    /// Until all of it may be asked again, in seconds.
    let reset: Int
    /// Until as much may be asked as now, in seconds; 0 when it was allowed.
    let retryAfter: Int

    /// Whether it bounds the caller more than another quota does.
    func isTighter(than other: QuotaState) -> Bool {
        guard isAllowed == other.isAllowed else { return other.isAllowed }
        return isAllowed ? remaining < other.remaining : retryAfter > other.retryAfter
    }
}
