import HandleRules
import HandleWords
import Postgres
import Synchronization

/// A search for free handles that resemble an input. It names candidates to look up until enough of them are free:
/// usually once.
struct SuggestionSearch {
    private let source: SuggestionSource
    private let count: Int
    private let seed: UInt64
    /// Identifies the caller, if known.
    private let caller: UInt64?
    /// Nil if the suggestions may depend on the seed only.
    private let memory: (hints: NameHints, offers: RecentOffers)?
    private let words: ReservedWords
    private let policy: Policy
    private let hasHints: Bool

    private var steps: ArraySlice<Step>
    /// The candidates that are looked up now.
    private var candidates: [Suggestion] = []
    private var found: [Suggestion] = []
    /// Free handles that were offered to another caller lately.
    private var spare: [Suggestion] = []

    private enum Step {
        case near
        /// As many more near candidates as are missing, and one.
        case more
        case far
    }

    /// Seeds of searches for unknown callers. Asking the system for each would take a microsecond.
    private static let seeds = Atomic<UInt64>(.random(in: .min ... .max))
    private static var nextSeed: UInt64 { seeds.wrappingAdd(1, ordering: .relaxed).newValue }

    /// - Parameters:
    ///   - name: the person's name, in any script.
    ///   - session: any text that identifies the person. The same session gets the same suggestions again.
    ///   - seed: the same seed gives the same suggestions in the same registry, to every caller.
    init(
        for input: String, name: String?, count: Int, session: String?, seed: UInt64? = nil, in registry: Registry
    ) throws(PostgresError) {
        words = try registry.writes.confirmedWords()
        source = SuggestionSource(typed: input, name: name, words: words)
        self.count = count
        caller = session.map { SeededGenerator.seed(from: $0.utf8) }
        self.seed = seed ?? caller ?? Self.nextSeed
        memory = seed == nil ? (registry.hints, registry.recentOffers) : nil
        policy = registry.policy
        // With hints, nearly all candidates are free, and few are missing after the first look-up.
        hasHints = memory?.hints.areReady ?? false
        steps = hasHints ? [.near, .more, .far] : [.near, .far]
    }

    /// True if enough suggestions are found, or there are no more candidates. To be asked after ``take(_:)``.
    var isComplete: Bool { found.count >= count || steps.isEmpty }

    /// Chooses the candidates to look up next.
    /// - Returns: nil if the search is complete.
    mutating func next() -> [Handle]? {
        guard !isComplete, let step = steps.popFirst() else { return nil }
        let now = RecentOffers.now
        let mayBeFree = { [words, memory] handle in
            !(memory?.hints.mayBeInUse(handle) ?? false) && !words.reach(handle)
        }
        let mayBeFound = { [memory, caller] handle in
            mayBeFree(handle) && !(memory?.offers.hasGiven(handle, toOtherThan: caller, at: now) ?? false)
        }
        switch step {
        case .near: candidates = nearCandidates(count, limit: nearLimit, where: mayBeFound)
        case .more:
            // The same seed gives the same candidates again, and then more.
            let before = candidates
            let wanted = before.count + count - found.count
            candidates = nearCandidates(wanted, limit: wanted + 1) {
                before.has($0) || mayBeFound($0)
            }.filter { !before.has($0.handle) }
        case .far: candidates = source.fartherCandidates(limit: Self.farCandidates, seed: seed, where: mayBeFree)
        }
        return candidates.map(\.handle)
    }

    /// Candidates close to the name, and farther ones if these are fewer than `wanted`.
    private func nearCandidates(
        _ wanted: Int, limit: Int, where mayBeFound: (Handle) -> Bool
    ) -> [Suggestion] {
        let near = source.candidates(limit: limit, seed: seed, where: mayBeFound)
        guard near.count < wanted else { return near }
        return near
            + source.fartherCandidates(limit: limit - near.count, seed: seed) { !near.has($0) && mayBeFound($0) }
    }

    /// Takes the free ones of the candidates.
    mutating func take(_ result: LookupResult) {
        // Several steps may have the same far candidates. All have passed ``ReservedWords/reach(_:)``, which is stricter
        // than a match.
        let free = candidates.filter {
            !found.has($0.handle)
                && Decision.decide(Reading($0.display), word: nil, result.known(about: $0.handle), policy).isAvailable
        }
        let wanted = count - found.count
        found += memory?.offers.take(wanted, of: free, for: caller) ?? Array(free.prefix(wanted))
        spare += free
    }

    /// The suggestions. One that was offered to another caller is better than none.
    var suggestions: [Suggestion] {
        var all = found
        for suggestion in spare where all.count < count && !all.has(suggestion.handle) { all.append(suggestion) }
        return all
    }

    /// As many as wanted, or few more, because each costs the database work, and most are free.
    private var nearLimit: Int { count + (hasHints ? 0 : 2) + count / 8 }
    /// They come from a space so large that few of them are taken.
    private static let farCandidates = 64
}

extension [Suggestion] {
    fileprivate func has(_ handle: Handle) -> Bool { contains { $0.handle == handle } }
}
