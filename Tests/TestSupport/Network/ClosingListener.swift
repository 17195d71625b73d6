import Foundation
import NIOConcurrencyHelpers

/// A listening port that accepts and counts every connection. It closes each at once, or keeps it open without sending
/// anything, as a machine that lost its power would.
package final class ClosingListener: Sendable {
    package let port: Int
    private let descriptor: Int32
    private let count = NIOLockedValueBox(0)

    struct Failure: Error {}

    package var acceptedCount: Int { count.withLockedValue { $0 } }

    package init(isSilent: Bool = false) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) + listen(descriptor, 64) + getsockname(descriptor, address, &length)
            }
        }
        guard status == 0 else { throw Failure() }
        self.descriptor = descriptor
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [count] in
            var silent: [Int32] = []
            while true {
                let accepted = accept(descriptor, nil, nil)
                guard accepted >= 0 else {
                    // Stop only when the listener is shut down, not after a signal or when descriptors are short.
                    if errno == EINVAL {
                        for open in silent + [descriptor] { close(open) }
                        return
                    }
                    usleep(1000)
                    continue
                }
                count.withLockedValue { $0 += 1 }
                if isSilent { silent.append(accepted) } else { close(accepted) }
            }
        }
    }

    deinit {
        // Wakes the accepting thread, which closes the descriptors.
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
