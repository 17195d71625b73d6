import HTTPLoading

/// Whether the cookie of the session was present at the last look, and the generation, which log-in and log-out raise.
///
/// Cookies are changed and looked at under the same lock. Otherwise a log-in between a look and its comparison would be taken for a
/// remote log-out.
final class CookiePresence: Sendable {
    private struct State {
        var wasPresent: Bool
        var generation: UInt64 = 0
    }

    private let state: Locked<State>

    init(_ isPresent: Bool) { state = Locked(State(wasPresent: isPresent)) }

    var generation: UInt64 { state.withValue(\.generation) }

    /// Notices a cookie that is gone without a log-out here.
    /// - Parameter forget: is called when it is.
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
    /// - Returns: the generation afterwards. Nil, and `work` is not called, if `generation` has ended.
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

    /// Ends a generation: the present one, or `generation` if it has not ended yet.
    /// - Returns: whether it was ended, and `work` called.
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
