import NIOConcurrencyHelpers

/// Counts the connections from each address, so that nobody takes all that there are.
final class ConnectionShares: Sendable {
    private let limit: Int
    /// From where many callers come.
    private let unlimited: [AddressRange]
    private let counts = NIOLockedValueBox<[InternetAddress: Int]>([:])

    /// - Parameters:
    ///   - limit: connections from one address, or from one network of 64 bits of IPv6.
    ///   - unlimited: the networks that this does not hold for.
    init(_ limit: Int, except unlimited: [AddressRange]) { (self.limit, self.unlimited) = (limit, unlimited) }

    /// Counts one more connection from an address, or does nothing and returns false when it has its share.
    func take(for address: InternetAddress) -> Bool {
        guard isCounted(address) else { return true }
        return counts.withLockedValue { counts in
            let count = counts[address.subscriber, default: 0]
            guard count < limit else { return false }
            counts[address.subscriber] = count + 1
            return true
        }
    }

    /// Counts one less: a connection that was taken has ended.
    func giveBack(for address: InternetAddress) {
        guard isCounted(address) else { return }
        counts.withLockedValue { counts in
            let rest = counts[address.subscriber, default: 1] - 1
            counts[address.subscriber] = rest > 0 ? rest : nil
        }
    }

    /// Addresses that have connections now.
    var addresses: Int { counts.withLockedValue(\.count) }

    private func isCounted(_ address: InternetAddress) -> Bool { !unlimited.contains { $0.contains(address) } }
}
