import HandleRegistry

/// One call, counted by the generic cell rate algorithm of ITU-T I.371: one number is all that is remembered.
///
/// The number is the moment, in nanoseconds, at which all of the quota will be there again. What is asked moves it into the
/// future, and it never gets farther than the window.
struct RateCharge {
    /// How far the call moves the moment.
    let asked: Int64
    private let isTooMuch: Bool
    private let interval: Int64
    private let window: Int64
    private let now: Int64

    /// - Parameter times: the quota, as a multiple of the rate's.
    init(_ cost: Int, of rate: Rate, times: Int64 = 1, at now: Int64) {
        let quota = Int64(rate.quota) * times
        interval = max(1, Int64(rate.seconds) * 1_000_000_000 / quota)
        window = interval * quota
        (asked, isTooMuch) = interval.multipliedReportingOverflow(by: Int64(cost))
        self.now = now
    }

    /// The moment after the call, if it is allowed.
    func next(after moment: Int64) -> Int64 { isTooMuch ? .max : max(moment, now) + asked }

    /// Where the caller stands after the call, which takes nothing when it is not allowed.
    func state(after moment: Int64) -> QuotaState {
        let next = next(after: moment)
        let isAllowed = next - now <= window
        let used = (isAllowed ? next : max(moment, now)) - now
        return QuotaState(
            isAllowed: isAllowed, remaining: Int((window - used) / interval), reset: Self.seconds(used),
            retryAfter: isAllowed ? 0 : max(1, Self.seconds(min(asked, window) - (window - used))))
    }

    /// Exactly; the quotient of two durations is rounded, and a nanosecond too few refuses who has just enough.
    static func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    private static func seconds(_ nanoseconds: Int64) -> Int { Int((nanoseconds + 999_999_999) / 1_000_000_000) }
}
