import NIOConcurrencyHelpers

/// A clock that stands still until a test advances it.
package final class ManualClock: Clock {
    package struct Instant: InstantProtocol {
        let offset: Duration
        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [UInt64: (until: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        /// Sleepers that were cancelled before they began to sleep.
        var cancelled: Set<UInt64> = []
        var lastID: UInt64 = 0
    }

    private let state = NIOLockedValueBox(State())

    package init() {}

    package var now: Instant { state.withLockedValue(\.now) }
    package var minimumResolution: Duration { .zero }

    /// The remaining time of each sleeper. A test that waits for one of several sleepers recognises it by this time.
    package var pauses: [Duration] {
        state.withLockedValue { state in state.sleepers.values.map { $0.until.offset - state.now.offset } }
    }

    /// The number of sleepers.
    package var sleepers: Int { state.withLockedValue(\.sleepers.count) }

    package func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = state.withLockedValue { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let result = state.withLockedValue { state -> Result<Void, any Error>? in
                    if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
                    if deadline <= state.now { return .success(()) }
                    state.sleepers[id] = (deadline, continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let sleeper = state.withLockedValue { state in
                let sleeper = state.sleepers.removeValue(forKey: id)
                if sleeper == nil { state.cancelled.insert(id) }
                return sleeper
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Advances the time and wakes the sleepers that have reached their deadline, earliest first.
    package func advance(by duration: Duration) {
        let woken = state.withLockedValue { state in
            state.now = state.now.advanced(by: duration)
            let woken = state.sleepers.filter { $0.value.until <= state.now }
            for id in woken.keys { state.sleepers[id] = nil }
            return woken.values.sorted { $0.until < $1.until }
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }
}
