import HandleCore
import NIOConcurrencyHelpers

/// The names that were suggested a moment ago, so that people who ask for the same name at the same time are shown
/// different ones and don't race for them.
final class RecentOffers: Sendable {
    /// As long as somebody may look at suggestions before they choose.
    private static let lifetime = Duration.seconds(10)
    /// As many as are remembered; with more, the oldest are forgotten before their time.
    private static let capacity = 4096

    private struct State {
        /// When each was offered last.
        var offers: [Handle: ContinuousClock.Instant] = [:]
        /// The same names in a ring, the next one to be forgotten at `next` once there are as many as fit.
        var ring: [Handle] = []
        var next = 0

        mutating func remember(_ handle: Handle, _ now: ContinuousClock.Instant) {
            guard offers.updateValue(now, forKey: handle) == nil else { return }
            if ring.count < capacity { return ring.append(handle) }
            offers[ring[next]] = nil
            ring[next] = handle
            next = (next + 1) % capacity
        }
    }

    private let state = NIOLockedValueBox(State())

    /// How many are remembered.
    var count: Int { state.withLockedValue { $0.offers.count } }

    /// The first of `candidates` that nobody was offered lately; they are remembered from now on.
    func take(_ count: Int, of candidates: [Suggestion], at now: ContinuousClock.Instant = .now) -> [Suggestion] {
        state.withLockedValue { state in
            var taken: [Suggestion] = []
            for candidate in candidates where taken.count < count {
                if let last = state.offers[candidate.handle], last + Self.lifetime > now { continue }
                state.remember(candidate.handle, now)
                taken.append(candidate)
            }
            return taken
        }
    }
}
