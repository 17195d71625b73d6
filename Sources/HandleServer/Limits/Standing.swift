import HandleRegistry

/// Where somebody stands after a call.
struct Standing: Sendable, Equatable {
    let isAllowed: Bool
    /// How much may still be asked at once.
    let remaining: Int
    /// Until all of it may be asked again, in seconds.
    let reset: Int
    /// Until as much may be asked as now, in seconds; 0 when it was allowed.
    let retryAfter: Int
}

extension Rate {
    /// Nanoseconds in which one is given back.
    var interval: Int64 { max(1, Int64(seconds) * 1_000_000_000 / Int64(quota)) }
}
