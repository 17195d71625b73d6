import Glibc
import NIOCore

/// An IP address. IPv4 addresses are stored as IPv4-mapped IPv6 addresses (RFC 4291, section 2.5.5.2).
struct InternetAddress: Hashable, Sendable {
    let number: UInt128

    init(_ number: UInt128) { self.number = number }

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
            number = withUnsafeBytes(of: address.address) { bytes in
                0xFFFF_0000_0000 | UInt128(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
            }
        case .v6(let address):
            number = withUnsafeBytes(of: address.address) { bytes in
                UInt128(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt128.self))
            }
        case .unixDomainSocket: return nil
        }
    }

    var isIPv4: Bool { number >> 32 == 0xFFFF }

    /// The unit that one subscriber has: an IPv4 address, or an IPv6 network of 64 bits, in which the subscriber can
    /// use any address.
    var subscriber: InternetAddress { isIPv4 ? self : network(64) }

    /// The network of the address with a prefix of `bits` bits, of 128.
    func network(_ bits: Int) -> InternetAddress { InternetAddress(number & ~0 << (128 - bits)) }
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
        guard contains(address) else { return nil }
    }

    func contains(_ address: InternetAddress) -> Bool { address.network(bits) == first }
}
