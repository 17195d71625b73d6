import HandleRegistry

/// The charge of one call, by the generic cell rate algorithm of ITU-T I.371, which stores only one number for each
/// caller.
///
/// The number is the moment, in nanoseconds, at which the quota will be full again. A call moves it into the future,
/// and it never gets farther ahead than the window.
struct RateCharge {
    /// How far the call moves the moment, in nanoseconds.
    let asked: Int64
    private let isTooMuch: Bool
    private let interval: Int64
    private let window: Int64
    private let now: Int64

    /// - Parameter times: factor by which the quota is larger than the rate's.
    init(_ cost: Int, of rate: Rate, times: Int64 = 1, at now: Int64) {
        let quota = Int64(rate.quota) * times
        interval = max(1, Int64(rate.seconds) * 1_000_000_000 / quota)
        window = interval * quota
        (asked, isTooMuch) = interval.multipliedReportingOverflow(by: Int64(cost))
        self.now = now
    }

    /// The moment after the call, if it is allowed.
    func next(after moment: Int64) -> Int64 { isTooMuch ? .max : max(moment, now) + asked }

    /// The quota state after the call. A refused call takes nothing.
    func state(after moment: Int64) -> QuotaState {
        let next = next(after: moment)
        let isAllowed = next - now <= window
        let used = (isAllowed ? next : max(moment, now)) - now
        return QuotaState(
            isAllowed: isAllowed, remaining: Int((window - used) / interval), reset: Self.seconds(used),
            retryAfter: isAllowed ? 0 : max(1, Self.seconds(min(asked, window) - (window - used))))
    }

    /// Computed exactly. A quotient of two durations is rounded, and one nanosecond too few would refuse a caller that
    /// has just enough left.
    static func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    private static func seconds(_ nanoseconds: Int64) -> Int { Int((nanoseconds + 999_999_999) / 1_000_000_000) }
}
