import HandleRules
import NIOConcurrencyHelpers

/// Handles suggested lately. Callers that ask for the same handle at the same time get different suggestions, and don't
/// race for one. A caller that asks again gets the same suggestions.
final class RecentOffers: Sendable {
    /// The time in which a person looks at suggestions before choosing.
    static let lifetime = Duration.seconds(10)
    /// Each handle has its place in one of the sets. When a set is full, its oldest offer is forgotten early.
    private static let (sets, offersInSet) = (512, 8)

    /// A moment, as the time since the first offer of the program. In an array, an instant would be copied by its metadata.
    typealias Moment = Duration

    private static let beginning = ContinuousClock.now
    static var now: Moment { ContinuousClock.now - beginning }

    private struct Offer {
        /// Nil in a place without an offer.
        var handle: Handle?
        var at: Moment
        var caller: UInt64?
    }

    private struct State {
        var offers: [Offer] = Array(
            repeating: Offer(handle: nil, at: now - lifetime, caller: nil), count: sets * offersInSet)

        /// The place of the last offer of a handle, or else the place for the next one.
        func place(of handle: Handle) -> Int {
            var hashes = handle.hashes
            let start = Int(hashes.next() % UInt64(sets)) * offersInSet
            var oldest = start
            for place in start..<start + offersInSet {
                if offers[place].handle == handle { return place }
                if offers[place].at < offers[oldest].at { oldest = place }
            }
            return oldest
        }

        func hasGiven(_ handle: Handle, at place: Int, toOtherThan caller: UInt64?, _ now: Moment)
            -> Bool
        {
            guard offers[place].handle == handle, offers[place].at + lifetime > now else { return false }
            return caller == nil || offers[place].caller != caller
        }
    }

    private let state = NIOLockedValueBox(State())

    /// Number of handles remembered.
    var count: Int { state.withLockedValue { $0.offers.count { $0.handle != nil } } }

    /// Whether a handle was offered to another caller lately.
    /// - Parameter caller: identifies the caller, if known.
    func hasGiven(
        _ handle: Handle, toOtherThan caller: UInt64?, at now: Moment = now
    ) -> Bool {
        state.withLockedValue { $0.hasGiven(handle, at: $0.place(of: handle), toOtherThan: caller, now) }
    }

    /// The first of `candidates` that were not offered to another caller lately. They are remembered as offered.
    /// - Parameter caller: identifies the caller, if known.
    func take(
        _ count: Int, of candidates: [Suggestion], for caller: UInt64? = nil, at now: Moment = now
    ) -> [Suggestion] {
        state.withLockedValue { state in
            var taken: [Suggestion] = []
            for candidate in candidates where taken.count < count {
                let place = state.place(of: candidate.handle)
                if state.hasGiven(candidate.handle, at: place, toOtherThan: caller, now) { continue }
                state.offers[place] = Offer(handle: candidate.handle, at: now, caller: caller)
                taken.append(candidate)
            }
            return taken
        }
    }
}
