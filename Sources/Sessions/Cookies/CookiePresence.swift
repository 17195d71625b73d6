import Foundation

/// Whether the cookie of the session was present at the last look, and the generation, which log-in and log-out raise.
///
/// Safe to share: every access of the variables holds the lock. Cookies are changed and looked at under the same lock. Otherwise a
/// log-in between a look and its comparison would be taken for a remote log-out.
final class CookiePresence: @unchecked Sendable {
    private let lock = NSLock()
    private var wasPresent: Bool
    private var count: UInt64 = 0

    init(_ isPresent: Bool) { wasPresent = isPresent }

    var generation: UInt64 { lock.withLock { count } }

    /// Notices a cookie that is gone without a log-out here.
    /// - Parameter forget: is called when it is.
    /// - Returns: true once for each remote log-out.
    func noticeEnd(isPresent: () -> Bool, forget: () -> Void) -> Bool {
        lock.withLock {
            let isPresent = isPresent()
            defer { wasPresent = isPresent }
            guard wasPresent, !isPresent else { return false }
            count += 1
            forget()
            return true
        }
    }

    /// - Parameter work: returns whether it was a log-in, which raises the generation.
    /// - Returns: the generation afterwards. Nil, and `work` is not called, if `generation` has ended.
    func change(in generation: UInt64, _ work: () -> Bool) -> UInt64? {
        lock.withLock {
            guard count == generation else { return nil }
            if work() {
                count += 1
                wasPresent = true
            }
            return count
        }
    }

    /// Ends a generation: the present one, or `generation` if it has not ended yet.
    /// - Returns: whether it was ended, and `work` called.
    @discardableResult
    func end(_ generation: UInt64? = nil, _ work: () -> Void) -> Bool {
        lock.withLock {
            guard generation == nil || generation == count else { return false }
            count += 1
            wasPresent = false
            work()
            return true
        }
    }
}
