import HandleRegistry
import NIOConcurrencyHelpers

/// Rate limiter with one number for each caller; see ``RateCharge``.
///
/// Callers with a full quota are removed, so memory is bounded and no caller in use loses its count. If too many
/// callers are in use, further ones share one count.
final class RateLimiter<Caller: Hashable & Sendable>: Sendable {
    private struct Shard {
        /// In nanoseconds since `beginning`.
        var moments: [Caller: Int64] = [:]
        /// The shared moment of all callers without a place.
        var others: Int64 = 0
        var nextPurge: Int64 = 0
    }

    private let shards: [NIOLockedValueBox<Shard>]
    private let capacity: Int
    private let beginning = ContinuousClock.now

    /// - Parameter remembered: maximum number of callers in memory.
    init(remembered: Int) {
        shards = (0..<16).map { _ in NIOLockedValueBox(Shard()) }
        capacity = max(1, remembered / shards.count)
    }

    /// Takes `cost` from the caller's quota, or nothing if less is left.
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

    /// Number of callers in memory.
    var remembered: Int { shards.reduce(0) { $0 + $1.withLockedValue(\.moments.count) } }

    private func hasRoom(_ shard: inout Shard, _ now: Int64) -> Bool {
        guard shard.moments.count >= capacity, now >= shard.nextPurge else { return shard.moments.count < capacity }
        // Once a second at most, because a scan of the table takes longer than a response should.
        shard.nextPurge = now + 1_000_000_000
        shard.moments = shard.moments.filter { $0.value > now }
        return shard.moments.count < capacity
    }
}
