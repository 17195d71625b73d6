import Foundation

/// Sends each new value to any number of streams. A stream begins with the present value, and a slow reader gets the
/// newest value only.
///
/// Safe to share: every access of the variables holds the lock, also when a stream ends on another thread.
final class Broadcast<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var continuations: [UInt64: AsyncStream<Value>.Continuation] = [:]
    private var lastID: UInt64 = 0

    deinit {
        for continuation in continuations.values { continuation.finish() }
    }

    var streams: Int { lock.withLock { continuations.count } }

    func stream(beginningWith value: Value) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let id = lock.withLock {
            lastID += 1
            continuations[lastID] = continuation
            return lastID
        }
        continuation.onTermination = { [weak self] _ in
            // The continuation is released outside the lock, because its release may run other code.
            let ended = self?.lock.withLock { self?.continuations.removeValue(forKey: id) }
            withExtendedLifetime(ended) {}
        }
        continuation.yield(value)
        return stream
    }

    func send(_ value: Value) {
        for continuation in lock.withLock({ Array(continuations.values) }) { continuation.yield(value) }
    }
}
