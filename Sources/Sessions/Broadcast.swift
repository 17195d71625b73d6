import Foundation

/// Tells any number of streams each new value. A stream begins with the present value, and a reader who is late gets the newest only.
///
/// Safe to share: every access of what changes holds the lock, also when a reader ends its stream on any thread.
final class Broadcast<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var continuations: [UInt64: AsyncStream<Value>.Continuation] = [:]
    private var lastID: UInt64 = 0

    deinit {
        for continuation in continuations.values { continuation.finish() }
    }

    var streams: Int { locked { continuations.count } }

    func stream(beginningWith value: Value) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let id = locked {
            lastID += 1
            continuations[lastID] = continuation
            return lastID
        }
        continuation.onTermination = { [weak self] _ in
            // The stream is released outside the lock, whatever its end does.
            let ended = self?.locked { self?.continuations.removeValue(forKey: id) }
            withExtendedLifetime(ended) {}
        }
        continuation.yield(value)
        return stream
    }

    func send(_ value: Value) {
        for continuation in locked({ Array(continuations.values) }) { continuation.yield(value) }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body()
    }
}
