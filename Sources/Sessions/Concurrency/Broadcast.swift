import HTTPLoading

/// Sends each new value to any number of streams. A stream begins with the current value, and a slow reader gets only
/// the newest value.
final class Broadcast<Value: Sendable>: Sendable {
    private struct State {
        var continuations: [UInt64: AsyncStream<Value>.Continuation] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Locked(State())

    deinit {
        for continuation in present { continuation.finish() }
    }

    var streams: Int { state.withValue { $0.continuations.count } }

    func stream(beginningWith value: Value) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withValue { state in
            state.lastID += 1
            state.continuations[state.lastID] = continuation
            return state.lastID
        }
        continuation.onTermination = { [weak self] _ in
            // The continuation is released outside the lock, because its release may run other code.
            let ended = self?.state.withValue { $0.continuations.removeValue(forKey: id) }
            withExtendedLifetime(ended) {}
        }
        continuation.yield(value)
        return stream
    }

    func send(_ value: Value) {
        for continuation in present { continuation.yield(value) }
    }

    private var present: [AsyncStream<Value>.Continuation] { state.withValue { Array($0.continuations.values) } }
}
