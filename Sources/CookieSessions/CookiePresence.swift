import HTTPLoading

/// Whether the session cookie was present at the last check, and the generation, which log-in and log-out raise.
///
/// Cookies are changed and checked under the same lock. Otherwise a log-in between a check and its comparison would
/// look like a remote log-out.
final class CookiePresence: Sendable {
    private struct State {
        var wasPresent: Bool
        var generation: UInt64 = 0
    }

    private let state: Locked<State>

    init(_ isPresent: Bool) { state = Locked(State(wasPresent: isPresent)) }

    var generation: UInt64 { state.withValue(\.generation) }

    /// Detects a missing cookie without a log-out here.
    /// - Parameter forget: called when the cookie is missing.
    /// - Returns: true once for each remote log-out.
    func noticeEnd(isPresent: () -> Bool, forget: () -> Void) -> Bool {
        state.withValue { state in
            let isPresent = isPresent()
            defer { state.wasPresent = isPresent }
            guard state.wasPresent, !isPresent else { return false }
            state.generation += 1
            forget()
            return true
        }
    }

    /// - Parameter work: returns whether it was a log-in, which raises the generation.
    /// - Returns: the generation afterwards. Nil, without a call of `work`, if `generation` has ended.
    func change(in generation: UInt64, _ work: () -> Bool) -> UInt64? {
        state.withValue { state in
            guard state.generation == generation else { return nil }
            if work() {
                state.generation += 1
                state.wasPresent = true
            }
            return state.generation
        }
    }

    /// Ends a generation: the current one, or `generation` if it has not ended yet.
    /// - Returns: whether it was ended and `work` was called.
    func end(_ generation: UInt64? = nil, _ work: () -> Void) -> Bool {
        state.withValue { state in
            guard generation == nil || generation == state.generation else { return false }
            state.generation += 1
            state.wasPresent = false
            work()
            return true
        }
    }
}
