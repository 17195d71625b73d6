import HandleRegistry
import NIOConcurrencyHelpers

/// Rate limiter for callers without a key or token. It counts each subscriber, and the larger IPv6 networks around it.
///
/// A call takes from all of these quotas or from none. They are in one shard, chosen by the largest network, so one
/// lock is enough. Memory is bounded. When a shard has no place for another subscriber, only the networks around the
/// subscriber count. When places for networks run out too, the other networks share fixed slots, by hash. So callers
/// that fill the table reduce what their own network has left, not what others have.
final class NetworkLimiter: Sendable {
    /// The units that are counted.
    enum Level: Int, CaseIterable {
        /// An IPv4 address, or a network of 64 bits of IPv6.
        case subscriber
        /// A network of 56 bits, which one customer usually gets.
        case site
        /// An IPv6 network of 48 bits. For IPv4, a network of 16 bits; it counts for subscribers without a place.
        case network

        /// The quota, as a multiple of a subscriber's quota. In a household, four people rarely type at the same time.
        /// A network of 48 bits belongs to a business, or to many customers of a mobile carrier.
        var multiple: Int64 {
            switch self {
            case .subscriber: 1
            case .site: 4
            case .network: 16
            }
        }
    }

    private struct Shard {
        /// For each level the moments of ``RateCharge``.
        var places: [[InternetAddress: Int64]] = Array(repeating: [:], count: Level.allCases.count)
        /// Moments of the networks without a place.
        var slots: [Int64]
        var nextPurge: Int64 = 0
    }

    private let shards: [NIOLockedValueBox<Shard>]
    private let capacity: Int
    private let beginning = ContinuousClock.now

    /// Slots of a shard. The 16 shards together have as many as there are IPv4 networks of 16 bits.
    private static let slots = 4096

    /// - Parameter remembered: maximum number of subscribers, and of networks of each size, that are kept in memory.
    init(remembered: Int) {
        shards = (0..<16).map { _ in NIOLockedValueBox(Shard(slots: Array(repeating: 0, count: Self.slots))) }
        capacity = max(1, remembered / shards.count)
    }

    /// Takes `cost` from the quotas of the subscriber and its networks, or nothing if one of them has less left.
    /// - Returns: the state of the tightest quota, and its level.
    func take(
        _ cost: Int = 1, of rate: Rate, for address: InternetAddress, at now: ContinuousClock.Instant = .now
    ) -> (level: Level, state: QuotaState) {
        let now = RateCharge.nanoseconds(now - beginning)
        return withShard(of: address) { shard, slot in
            purge(&shard, now)
            let moments = moments(of: address, slot, shard)
            var tightest: (level: Level, state: QuotaState)?
            for level in Level.allCases {
                guard let moment = moments[level.rawValue] else { continue }
                let state = RateCharge(cost, of: rate, times: level.multiple, at: now).state(after: moment)
                if tightest.map({ state.isTighter(than: $0.state) }) ?? true { tightest = (level, state) }
            }
            guard let tightest else { preconditionFailure("every caller counts at one level at least") }
            guard tightest.state.isAllowed else { return tightest }
            for level in Level.allCases {
                guard let moment = moments[level.rawValue] else { continue }
                let charge = RateCharge(cost, of: rate, times: level.multiple, at: now)
                set(charge.next(after: moment), at: level, of: address, slot, &shard)
            }
            return tightest
        }
    }

    /// Gives back a cost that was taken in advance.
    func giveBack(_ cost: Int = 1, of rate: Rate, for address: InternetAddress) {
        withShard(of: address) { shard, slot in
            let moments = moments(of: address, slot, shard)
            for level in Level.allCases {
                guard let moment = moments[level.rawValue], moment > 0 else { continue }
                let charge = RateCharge(cost, of: rate, times: level.multiple, at: 0)
                set(max(0, moment - charge.asked), at: level, of: address, slot, &shard)
            }
        }
    }

    /// Number of subscribers and networks in memory.
    var remembered: Int { shards.reduce(0) { $0 + $1.withLockedValue { $0.places.reduce(0) { $0 + $1.count } } } }

    private func withShard<Result>(of address: InternetAddress, _ body: (inout Shard, _ slot: Int) -> Result) -> Result
    {
        let hash = UInt(bitPattern: address.widest.hashValue)
        let (slot, shard) = hash.quotientAndRemainder(dividingBy: UInt(shards.count))
        return shards[Int(shard)].withLockedValue { body(&$0, Int(slot % UInt(Self.slots))) }
    }

    /// The moments of all levels; nil for a level that does not count for the address.
    private func moments(of address: InternetAddress, _ slot: Int, _ shard: Shard) -> InlineArray<3, Int64?> {
        let subscriber = place(of: address, .subscriber, shard)
        if address.isIPv4 { return [subscriber, nil, subscriber == nil ? shard.slots[slot] : nil] }
        return [
            subscriber, place(of: address, .site, shard), place(of: address, .network, shard) ?? shard.slots[slot],
        ]
    }

    /// The moment in the table. An address that has none yet gets one long past, or nil if there is no room for it.
    private func place(of address: InternetAddress, _ level: Level, _ shard: Shard) -> Int64? {
        if let moment = shard.places[level.rawValue][address.at(level)] { return moment }
        return shard.places[level.rawValue].count < capacity ? .min : nil
    }

    private func set(
        _ moment: Int64, at level: Level, of address: InternetAddress, _ slot: Int, _ shard: inout Shard
    ) {
        if level == .network, address.isIPv4 || place(of: address, level, shard) == nil {
            shard.slots[slot] = moment
        } else {
            shard.places[level.rawValue][address.at(level)] = moment
        }
    }

    /// When there is no room, removes the subscribers and networks with a full quota.
    private func purge(_ shard: inout Shard, _ now: Int64) {
        guard now >= shard.nextPurge, shard.places.contains(where: { $0.count >= capacity }) else { return }
        // Once a second at most, because a scan of the table takes longer than a response should.
        shard.nextPurge = now + 1_000_000_000
        for level in shard.places.indices where shard.places[level].count >= capacity {
            shard.places[level] = shard.places[level].filter { $0.value > now }
        }
    }
}

extension InternetAddress {
    /// The subscriber or network of a level that the address is in.
    func at(_ level: NetworkLimiter.Level) -> InternetAddress {
        switch level {
        case .subscriber: subscriber
        case .site: network(56)
        case .network: network(48)
        }
    }

    /// The largest network that counts: 48 bits of IPv6, 16 bits of IPv4.
    fileprivate var widest: InternetAddress { network(isIPv4 ? 112 : 48) }
}
