import Foundation

/// Does something at most once, however many threads ask for it. Safe to share: `done` is read and set under the lock.
final class Once: @unchecked Sendable {
    private let lock = NSLock()
    private var done = false

    func run(_ work: () -> Void) {
        lock.lock()
        let first = !done
        done = true
        lock.unlock()
        if first { work() }
    }
}
