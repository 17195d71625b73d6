import Foundation

/// Runs its work at most once, also when several threads ask for it. Safe to share: `isDone` is accessed under the lock.
final class Once: @unchecked Sendable {
    private let lock = NSLock()
    private var isDone = false

    func run(_ work: () -> Void) {
        let isFirst = lock.withLock {
            defer { isDone = true }
            return !isDone
        }
        if isFirst { work() }
    }
}
