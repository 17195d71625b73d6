import Glibc
import NIOCore

/// An IP address. IPv4 addresses are stored as IPv4-mapped IPv6 addresses (RFC 4291, section 2.5.5.2).
struct InternetAddress: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// Nil when `text` is not a numeric address.
    init?(_ text: String) {
        guard let address = try? SocketAddress(ipAddress: text, port: 0) else { return nil }
        self.init(address)
    }

    /// Nil for a Unix socket.
    init?(_ address: SocketAddress) {
        // Read by offset in `sockaddr_in` and `sockaddr_in6` (ip(7), ipv6(7)), because the names of the fields differ
        // between modules of the C library.
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

    /// The unit that one subscriber has: an IPv4 address, or an IPv6 network of 64 bits, in which the subscriber can
    /// use any address.
    var subscriber: InternetAddress { isIPv4 ? self : InternetAddress(high: high, low: 0) }

    /// The IPv6 network of the address with a prefix of `bits` bits, at most 64.
    func network(_ bits: UInt64) -> InternetAddress {
        InternetAddress(high: high & (~0 << (64 - bits)), low: 0)
    }
}

/// A network such as `192.0.2.0/24` or `2001:db8::/32`, or a single address.
package struct AddressRange: Sendable, Equatable {
    private let first: InternetAddress
    /// Length of the prefix, of 128 bits.
    private let bits: Int

    /// Nil when `text` is not a network: an invalid address, a prefix that is too long, or bits set after the prefix.
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

    /// A mask with the first `bits` of 64 set.
    private static func mask(_ bits: Int) -> UInt64 { bits == 0 ? 0 : ~0 << UInt64(64 - bits) }
}
