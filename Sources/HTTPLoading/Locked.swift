import Foundation

/// A value behind a lock. It is the only class here that is shared without the compiler's check: every access of the
/// value holds the lock. `Mutex` is not used, because ThreadSanitizer doesn't know it on Linux.
package final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) { self.value = value }

    package func withValue<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&value) } }
}
