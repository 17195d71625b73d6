import HandleRegistry
import NIOConcurrencyHelpers

/// Counts what callers ask, each by themselves, in one number a caller: see ``RateCharge``.
///
/// Callers whose moment has passed have all of their quota and are forgotten. So memory is bounded without a caller losing
/// its place; only when too many are remembered who still count, further ones share one.
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
    func take(_ cost: Int = 1, of rate: Rate, for caller: Caller, at now: ContinuousClock.Instant = .now) -> QuotaState
    {
        let now = RateCharge.nanoseconds(now - beginning)
        let charge = RateCharge(cost, of: rate, at: now)
        return shards[Int(UInt(bitPattern: caller.hashValue) % UInt(shards.count))].withLockedValue { shard in
            let known = shard.moments[caller]
            let isRemembered = known != nil || hasRoom(&shard, now)
            let moment = known ?? (isRemembered ? .min : shard.others)
            let state = charge.state(after: moment)
            guard state.isAllowed else { return state }
            if isRemembered {
                shard.moments[caller] = charge.next(after: moment)
            } else {
                shard.others = charge.next(after: moment)
            }
            return state
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
}
