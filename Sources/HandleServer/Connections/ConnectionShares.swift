import NIOConcurrencyHelpers

/// Limits the connections from each address, and from the larger IPv6 networks around it, so that one network can't use
/// up all connections.
final class ConnectionShares: Sendable {
    /// The connection limit of each level.
    private let limits: [Int]
    /// Networks without a limit, as many clients share them.
    private let unlimited: [AddressRange]
    /// Connections of each subscriber or network, by level.
    private let counts: NIOLockedValueBox<[[InternetAddress: Int]]>

    /// - Parameters:
    ///   - limit: connections from one address, or from one network of 64 bits of IPv6. Networks of 56 bits may have
    ///     four times as many, and networks of 48 bits sixteen times, but at most half of `all` unless `limit` is more.
    ///   - all: the limit of all connections together.
    ///   - unlimited: the networks without a limit.
    init(_ limit: Int, of all: Int = .max, except unlimited: [AddressRange]) {
        limits = NetworkLimiter.Level.allCases.map { max(limit, min(limit * Int($0.multiple), all / 2)) }
        counts = NIOLockedValueBox(Array(repeating: [:], count: limits.count))
        self.unlimited = unlimited
    }

    /// Counts one more connection from an address.
    /// - Returns: false, with nothing counted, if the address or a network around it is at its limit.
    func take(for address: InternetAddress) -> Bool {
        guard isCounted(address) else { return true }
        return counts.withLockedValue { counts in
            let hasRoom = levels(of: address).allSatisfy { level in
                counts[level.rawValue][address.at(level), default: 0] < limits[level.rawValue]
            }
            if hasRoom { change(address, &counts, by: 1) }
            return hasRoom
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

    private func levels(of address: InternetAddress) -> [NetworkLimiter.Level] {
        address.isIPv4 ? [.subscriber] : NetworkLimiter.Level.allCases
    }

    private func change(_ address: InternetAddress, _ counts: inout [[InternetAddress: Int]], by step: Int) {
        for level in levels(of: address) {
            let count = counts[level.rawValue][address.at(level), default: 0] + step
            counts[level.rawValue][address.at(level)] = count > 0 ? count : nil
        }
    }
}
