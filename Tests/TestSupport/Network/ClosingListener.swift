import Foundation
import NIOConcurrencyHelpers

/// A listening port that accepts and counts every connection. It closes each at once, or keeps it open without sending
/// anything, as a machine that lost its power would.
package final class ClosingListener: Sendable {
    private let bound: BoundPort
    private let count = NIOLockedValueBox(0)

    package var port: Int { bound.number }
    package var acceptedCount: Int { count.withLockedValue { $0 } }

    package init(isSilent: Bool = false) throws {
        bound = try BoundPort()
        try bound.listen()
        Thread.detachNewThread { [bound, count] in
            var silent: [Int32] = []
            while true {
                let accepted = accept(bound.descriptor, nil, nil)
                guard accepted >= 0 else {
                    // Stop only when the listener is shut down, not after a signal or when descriptors are short.
                    if errno == EINVAL {
                        for open in silent { close(open) }
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
        // Wakes the accepting thread, which then ends.
        shutdown(bound.descriptor, Int32(SHUT_RDWR))
    }
}
