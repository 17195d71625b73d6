import Glibc

/// A port that is bound, so that no other program gets it. Connections are refused until ``listen()``.
package final class BoundPort: Sendable {
    let descriptor: Int32
    package let number: Int

    private struct Failure: Error {}

    package init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) + getsockname(descriptor, address, &length)
            }
        }
        number = Int(UInt16(bigEndian: address.sin_port))
        guard status == 0 else { throw Failure() }
    }

    deinit { close(descriptor) }

    /// Accepts connections from now on.
    func listen() throws {
        guard Glibc.listen(descriptor, 64) == 0 else { throw Failure() }
    }
}
