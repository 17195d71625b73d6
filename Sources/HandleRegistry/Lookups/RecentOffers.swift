import HandleCore
import NIOConcurrencyHelpers

/// Handles suggested lately. Callers that ask for the same handle at the same time get different suggestions, and don't
/// race for one. A caller that asks again gets the same suggestions.
final class RecentOffers: Sendable {
    /// The time in which a person looks at suggestions before choosing.
    static let lifetime = Duration.seconds(10)
    /// The most handles remembered; beyond that the oldest are forgotten early.
    private static let capacity = 4096

    private struct State {
        /// Last offer of each handle: its time, and the asker.
        var offers: [Handle: (at: ContinuousClock.Instant, asker: UInt64?)] = [:]
        /// The same handles in a ring. Once it is full, the one at `next` is forgotten next.
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

    /// Number of handles remembered.
    var count: Int { state.withLockedValue { $0.offers.count } }

    /// The first of `candidates` that were not offered to another asker lately. They are remembered as offered.
    /// - Parameter asker: identifies the asker, if known.
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
