import NIOConcurrencyHelpers

/// Limits the connections from each address, and from the larger IPv6 networks around it, so that one network can't use
/// up all connections.
final class ConnectionShares: Sendable {
    /// Prefix lengths of IPv6 networks, and their connection limits.
    private let networks: [(bits: UInt64, limit: Int)]
    private let limit: Int
    /// Networks without a limit, as many clients share them.
    private let unlimited: [AddressRange]
    /// Connections by network: one dictionary for subscribers, then one for each of `networks`.
    private let counts: NIOLockedValueBox<[[InternetAddress: Int]]>

    /// - Parameters:
    ///   - limit: connections from one address, or from one network of 64 bits of IPv6. Networks of 56 bits may have
    ///     four times as many, and networks of 48 bits sixteen times, but at most half of `all` unless `limit` is more.
    ///   - all: the limit of all connections together.
    ///   - unlimited: the networks without a limit.
    init(_ limit: Int, of all: Int = .max, except unlimited: [AddressRange]) {
        func share(_ level: NetworkLimiter.Level) -> Int {
            max(limit, min(limit * Int(level.multiple), all / 2))
        }
        networks = [(56, share(.site)), (48, share(.network))]
        counts = NIOLockedValueBox(Array(repeating: [:], count: networks.count + 1))
        (self.limit, self.unlimited) = (limit, unlimited)
    }

    /// Counts one more connection from an address.
    /// - Returns: false, with nothing counted, if the address or a network around it is at its limit.
    func take(for address: InternetAddress) -> Bool {
        guard isCounted(address) else { return true }
        return counts.withLockedValue { counts in
            guard counts[0][address.subscriber, default: 0] < limit else { return false }
            guard address.isIPv4 || hasRoom(address, counts) else { return false }
            change(address, &counts, by: 1)
            return true
        }
    }

    /// Counts one connection less, after a connection that was counted by ``take(for:)`` has ended.
    func giveBack(for address: InternetAddress) {
        guard isCounted(address) else { return }
        counts.withLockedValue { change(address, &$0, by: -1) }
    }

    /// Number of subscribers with open connections: IPv4 addresses and IPv6 networks of 64 bits.
    var addresses: Int { counts.withLockedValue { $0[0].count } }

    private func isCounted(_ address: InternetAddress) -> Bool { !unlimited.contains { $0.contains(address) } }

    private func hasRoom(_ address: InternetAddress, _ counts: [[InternetAddress: Int]]) -> Bool {
        for (index, network) in networks.enumerated()
        where counts[index + 1][address.network(network.bits), default: 0] >= network.limit { return false }
        return true
    }

    private func change(_ address: InternetAddress, _ counts: inout [[InternetAddress: Int]], by step: Int) {
        func add(_ index: Int, _ network: InternetAddress) {
            let count = counts[index][network, default: 0] + step
            counts[index][network] = count > 0 ? count : nil
        }
        add(0, address.subscriber)
        guard !address.isIPv4 else { return }
        for (index, network) in networks.enumerated() { add(index + 1, address.network(network.bits)) }
    }
}
