import HandleRegistry
import NIOConcurrencyHelpers

/// Counts what callers without a key or token ask: each subscriber by itself, and the larger IPv6 networks around it.
///
/// A call takes from all of these or from none. They are in one shard, found by the largest network, so one lock is
/// enough. Memory is bounded: when a shard has no place for one more subscriber, only the networks around it count. Places
/// for networks can run out too; then those that have none share fixed slots, by network. So callers who fill the table
/// leave less for their own network, and the same as before for others.
final class NetworkLimiter: Sendable {
    /// What counts together.
    enum Level: Int, CaseIterable {
        /// An IPv4 address, or a network of 64 bits of IPv6.
        case subscriber
        /// A network of 56 bits: what one customer usually gets.
        case site
        /// A network of 48 bits; of IPv4, one of 16 bits, where subscribers have no place.
        case network

        /// The quota, as a multiple of a subscriber's. A household seldom has four people who type at a time, and a network
        /// of 48 bits is a business, or many customers of a mobile carrier.
        var multiple: Int64 {
            switch self {
            case .subscriber: 1
            case .site: 4
            case .network: 16
            }
        }
    }

    private struct Shard {
        /// For each level the moments, as ``RateCharge`` has them.
        var places: [[InternetAddress: Int64]] = Array(repeating: [:], count: Level.allCases.count)
        /// The moments of networks that have no place.
        var slots: [Int64]
        var nextPurge: Int64 = 0
    }

    private let shards: [NIOLockedValueBox<Shard>]
    private let capacity: Int
    private let beginning = ContinuousClock.now

    /// Slots of a shard: with 16 shards as many as there are IPv4 networks of 16 bits.
    private static let slots = 4096

    /// - Parameter remembered: subscribers, and networks of each size, that are remembered at most.
    init(remembered: Int) {
        shards = (0..<16).map { _ in NIOLockedValueBox(Shard(slots: Array(repeating: 0, count: Self.slots))) }
        capacity = max(1, remembered / shards.count)
    }

    /// Takes `cost` from the quotas of a caller's subscriber and networks, or nothing when one of them has not so much left.
    /// - Returns: where the caller stands with the quota that is the tightest, and which one that is.
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

    /// Gives back what was taken for nothing.
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

    /// Subscribers and networks that are remembered now.
    var remembered: Int { shards.reduce(0) { $0 + $1.withLockedValue { $0.places.reduce(0) { $0 + $1.count } } } }

    private func withShard<Result>(of address: InternetAddress, _ body: (inout Shard, _ slot: Int) -> Result) -> Result
    {
        let hash = UInt(bitPattern: address.widest.hashValue)
        let (slot, shard) = hash.quotientAndRemainder(dividingBy: UInt(shards.count))
        return shards[Int(shard)].withLockedValue { body(&$0, Int(slot % UInt(Self.slots))) }
    }

    /// The moments of the levels; nil for a level that does not count for the address.
    private func moments(of address: InternetAddress, _ slot: Int, _ shard: Shard) -> InlineArray<3, Int64?> {
        let subscriber = place(of: address, .subscriber, shard)
        if address.isIPv4 { return [subscriber, nil, subscriber == nil ? shard.slots[slot] : nil] }
        return [
            subscriber, place(of: address, .site, shard), place(of: address, .network, shard) ?? shard.slots[slot],
        ]
    }

    /// The moment in the table, which is long past for who is not in it yet; nil when there is none and no room for it.
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

    /// Forgets the subscribers and networks that have all of their quota, when there is no room.
    private func purge(_ shard: inout Shard, _ now: Int64) {
        guard now >= shard.nextPurge, shard.places.contains(where: { $0.count >= capacity }) else { return }
        // Once a second at most: looking through all of them takes longer than an answer should.
        shard.nextPurge = now + 1_000_000_000
        for level in shard.places.indices where shard.places[level].count >= capacity {
            shard.places[level] = shard.places[level].filter { $0.value > now }
        }
    }
}

extension InternetAddress {
    /// The subscriber or network of a level that the address is in.
    fileprivate func at(_ level: NetworkLimiter.Level) -> InternetAddress {
        switch level {
        case .subscriber: subscriber
        case .site: network(56)
        case .network: network(48)
        }
    }

    /// The largest network that counts: 48 bits of IPv6, 16 of IPv4.
    fileprivate var widest: InternetAddress {
        isIPv4 ? InternetAddress(high: 0, low: low & ~0xFFFF) : network(48)
    }
}
