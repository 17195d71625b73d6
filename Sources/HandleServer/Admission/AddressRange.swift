import Glibc
import NIOCore

/// An address of the internet: IPv4 addresses are the IPv6 ones that stand for them (RFC 4291, section 2.5.5.2).
struct InternetAddress: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// Nil when `text` is no address in numbers.
    init?(_ text: String) {
        guard let address = try? SocketAddress(ipAddress: text, port: 0) else { return nil }
        self.init(address)
    }

    /// Nil when the address is none of the internet.
    init?(_ address: SocketAddress) {
        // Read by their place in `sockaddr_in` and `sockaddr_in6` (ip(7), ipv6(7)): the names of the fields are a matter of
        // whose module of the C library is seen.
        switch address {
        case .v4(let address):
            self = withUnsafeBytes(of: address.address) { bytes in
                let number = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
                return InternetAddress(high: 0, low: 0xFFFF_0000_0000 | UInt64(number))
            }
        case .v6(let address):
            self = withUnsafeBytes(of: address.address) { bytes in
                func half(_ offset: Int) -> UInt64 {
                    UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                }
                return InternetAddress(high: half(8), low: half(16))
            }
        case .unixDomainSocket: return nil
        }
    }

    var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// What one subscriber has: an IPv4 address, or a network of 64 bits of IPv6, in which everybody has as many
    /// addresses as they like.
    var subscriber: InternetAddress { isIPv4 ? self : InternetAddress(high: high, low: 0) }

    /// The network of IPv6 that the address is in, by its first bits, 64 at most.
    func network(_ bits: UInt64) -> InternetAddress {
        InternetAddress(high: high & (~0 << (64 - bits)), low: 0)
    }
}

/// A network: `192.0.2.0/24`, `2001:db8::/32`, or a single address.
package struct AddressRange: Sendable, Equatable {
    private let first: InternetAddress
    /// Of 128.
    private let bits: Int

    /// Nil when `text` is no network: no such address, too many bits, or bits set beyond them.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = InternetAddress(String(parts[0])) else { return nil }
        let width = address.isIPv4 && !parts[0].contains(":") ? 32 : 128
        guard let bits = parts.count == 1 ? width : Int(parts[1]), (0...width).contains(bits),
            parts.count == 1 || parts[1].allSatisfy(\.isNumber)
        else { return nil }
        self.bits = bits + 128 - width
        first = address
        guard Self.masked(address, self.bits) == address else { return nil }
    }

    func contains(_ address: InternetAddress) -> Bool { Self.masked(address, bits) == first }

    private static func masked(_ address: InternetAddress, _ bits: Int) -> InternetAddress {
        InternetAddress(
            high: address.high & mask(min(bits, 64)), low: address.low & mask(max(bits - 64, 0)))
    }

    /// The first `bits` of 64 are set.
    private static func mask(_ bits: Int) -> UInt64 { bits == 0 ? 0 : ~0 << UInt64(64 - bits) }
}
