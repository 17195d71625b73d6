import HandleCore
import NIOConcurrencyHelpers

/// The names that were suggested a moment ago, so that people who ask for the same name at the same time are shown
/// different ones and don't race for them. Whoever asks again is shown the same.
final class RecentOffers: Sendable {
    /// As long as somebody may look at suggestions before they choose.
    static let lifetime = Duration.seconds(10)
    /// As many as are remembered; with more, the oldest are forgotten before their time.
    private static let capacity = 4096

    private struct State {
        /// When each was offered last, and to whom.
        var offers: [Handle: (at: ContinuousClock.Instant, asker: UInt64?)] = [:]
        /// The same names in a ring, the next one to be forgotten at `next` once there are as many as fit.
        var ring: [Handle] = []
        var next = 0

        mutating func remember(_ handle: Handle, _ now: ContinuousClock.Instant, _ asker: UInt64?) {
            guard offers.updateValue((now, asker), forKey: handle) == nil else { return }
            if ring.count < capacity { return ring.append(handle) }
            offers[ring[next]] = nil
            ring[next] = handle
            next = (next + 1) % capacity
        }
    }

    private let state = NIOLockedValueBox(State())

    /// How many are remembered.
    var count: Int { state.withLockedValue { $0.offers.count } }

    /// The first of `candidates` that nobody else was offered lately; they are remembered from now on.
    /// - Parameter asker: tells who asks, when that is known.
    func take(
        _ count: Int, of candidates: [Suggestion], for asker: UInt64? = nil, at now: ContinuousClock.Instant = .now
    ) -> [Suggestion] {
        state.withLockedValue { state in
            var taken: [Suggestion] = []
            for candidate in candidates where taken.count < count {
                if let last = state.offers[candidate.handle], last.at + Self.lifetime > now,
                    asker == nil || last.asker != asker
                {
                    continue
                }
                state.remember(candidate.handle, now, asker)
                taken.append(candidate)
            }
            return taken
        }
    }
}
