import HandleRegistry
import NIOConcurrencyHelpers

/// Counts what callers ask, each by themselves, in one number a caller: the generic cell rate algorithm of ITU-T I.371.
///
/// The number is the moment at which the caller will have all of the quota again. What is asked moves it into the
/// future, and nobody may move it farther than the window. Whose moment has passed need not be remembered, so memory is
/// bounded without anybody being forgotten; only when too many are remembered who still count, further ones share one.
final class RateLimiter<Caller: Hashable & Sendable>: Sendable {
    private struct Shard {
        /// In nanoseconds since the beginning.
        var moments: [Caller: Int64] = [:]
        /// The moment of all for whom there is no place.
        var others: Int64 = 0
        var nextPurge: Int64 = 0
    }

    private let shards: [NIOLockedValueBox<Shard>]
    private let capacity: Int
    private let beginning = ContinuousClock.now

    /// - Parameter remembered: callers that are remembered at most.
    init(remembered: Int) {
        shards = (0..<16).map { _ in NIOLockedValueBox(Shard()) }
        capacity = max(1, remembered / shards.count)
    }

    /// Takes `cost` from the caller's quota, or nothing when there is not so much left.
    func take(_ cost: Int = 1, of rate: Rate, for caller: Caller, at now: ContinuousClock.Instant = .now) -> Standing {
        let now = Self.nanoseconds(now - beginning)
        let window = rate.interval * Int64(rate.quota)
        let (asked, isTooMuch) = rate.interval.multipliedReportingOverflow(by: Int64(cost))
        return shards[Int(UInt(bitPattern: caller.hashValue) % UInt(shards.count))].withLockedValue { shard in
            let known = shard.moments[caller]
            let isRemembered = known != nil || hasRoom(&shard, now)
            let moment = max(known ?? (isRemembered ? now : shard.others), now)
            let next = isTooMuch ? Int64.max : moment + asked
            let isAllowed = next - now <= window
            if isAllowed {
                if isRemembered { shard.moments[caller] = next } else { shard.others = next }
            }
            let used = (isAllowed ? next : moment) - now
            return Standing(
                isAllowed: isAllowed, remaining: Int((window - used) / rate.interval), reset: Self.seconds(used),
                retryAfter: isAllowed ? 0 : max(1, Self.seconds(min(asked, window) - (window - used))))
        }
    }

    /// Callers that are remembered now.
    var remembered: Int { shards.reduce(0) { $0 + $1.withLockedValue(\.moments.count) } }

    private func hasRoom(_ shard: inout Shard, _ now: Int64) -> Bool {
        guard shard.moments.count >= capacity, now >= shard.nextPurge else { return shard.moments.count < capacity }
        // Once a second at most: looking through all of them takes longer than an answer should.
        shard.nextPurge = now + 1_000_000_000
        shard.moments = shard.moments.filter { $0.value > now }
        return shard.moments.count < capacity
    }

    /// Exactly; the quotient of two durations is rounded, and a nanosecond too few refuses who has just enough.
    private static func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    private static func seconds(_ nanoseconds: Int64) -> Int { Int((nanoseconds + 999_999_999) / 1_000_000_000) }
}
