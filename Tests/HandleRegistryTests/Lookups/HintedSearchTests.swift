import HandleRules
import HandleWords
import TestSupport
import Testing

@testable import HandleRegistry

/// The candidates that a search for suggestions looks up, where there are hints.
@Suite(.timeLimit(.minutes(5))) struct HintedSearchTests {
    private static let hintsBytes = 1 << 24

    /// A registry with hints in which johndoe is taken, and the near candidates for that name in the session `page-1`.
    private func registryAndNearCandidates() async throws -> (Registry, [Handle]) {
        let registry = try await freshRegistry(hintsBytes: Self.hintsBytes)
        try await registry.fillHints()
        _ = try await registry.claim("johndoe", for: owner("one"))
        return (registry, johndoe.candidates(limit: 10_000, seed: seed).map(\.handle))
    }

    private let johndoe = SuggestionSource(wanted: "johndoe".utf8)
    private let seed = SeededGenerator.seed(from: "page-1".utf8)

    @Test func candidatesWithAHintAreNotLookedUp() async throws {
        let registry = try await freshRegistry(hintsBytes: Self.hintsBytes)
        let near = johndoe.candidates(limit: 10_000, seed: 1)
        let names = near.map(\.handle.description).filter { $0.contains("john") } + ["johndoe"]
        try await registry.insert(names)
        try await registry.fillHints()
        let availability = try await registry.availability(of: "johndoe")
        #expect(availability.suggestions.count == 5)
        #expect(Set(availability.suggestions.map(\.handle.description)).isDisjoint(with: names))
        #expect(registry.lookups.metrics.callers == 1)
        #expect(registry.lookups.metrics.weight == 6)
    }

    /// The second look-up asks for the missing ones and one more.
    @Test func onlyMissingSuggestionsAreLookedUpAgain() async throws {
        let (registry, near) = try await registryAndNearCandidates()
        // Another program has claimed two of them, so they have no hint.
        try await registry.insert(near[1...2].map(\.description))
        let suggestions = try await registry.availability(of: "johndoe", session: "page-1").suggestions
        #expect(suggestions.map(\.handle) == [near[0]] + near[3...6])
        #expect(registry.lookups.metrics.callers == 2)
        #expect(registry.lookups.metrics.weight == 6 + 3)
    }

    /// Farther candidates join the second look-up.
    @Test func missingSuggestionsAreLookedUpOnceMoreWhereNearOnesAreFew() async throws {
        let (registry, near) = try await registryAndNearCandidates()
        registry.hints.insert(near.dropFirst(6))
        try await registry.insert(near[1...2].map(\.description))
        let suggestions = try await registry.availability(of: "johndoe", session: "page-1").suggestions
        #expect(suggestions.prefix(4).map(\.handle) == [near[0]] + near[3...5])
        #expect(Set(suggestions.map(\.handle)).count == 5)
        #expect(registry.lookups.metrics.callers == 2)
    }

    /// All near candidates have a hint, so farther ones are looked up at once.
    @Test func fartherCandidatesAreLookedUpWithTheNameWhenAllNearOnesHaveAHint() async throws {
        let (registry, near) = try await registryAndNearCandidates()
        registry.hints.insert(near)
        let availability = try await registry.availability(of: "johndoe", session: "page-1")
        #expect(availability.suggestions.count == 5)
        #expect(Set(availability.suggestions.map(\.handle)).isDisjoint(with: near))
        #expect(registry.lookups.metrics.callers == 1)
    }

    /// The first far candidates are looked up with the name, and all of them again after that.
    @Test(arguments: [nil, "page-1"]) func suggestionsAreDifferentWhenFarCandidatesAreLookedUpTwice(
        session: String?
    ) async throws {
        let (registry, near) = try await registryAndNearCandidates()
        registry.hints.insert(near)
        try await registry.insert(johndoe.fartherCandidates(limit: 3, seed: seed).map(\.handle.description))
        let suggestions = try await registry.availability(of: "johndoe", session: session).suggestions
        #expect(suggestions.count == 5)
        #expect(Set(suggestions.map(\.handle)).count == 5)
        if session != nil { #expect(registry.lookups.metrics.callers == 2) }
    }

    /// A near candidate such as brave_fern22 may be a far one too, though rarely.
    @Test func candidateThatIsNearAndFarIsOfferedOnce() async throws {
        let source = SuggestionSource(wanted: "fern22".utf8)
        func seed(_ session: Int) -> UInt64 { SeededGenerator.seed(from: "\(session)".utf8) }
        func both(_ session: Int) -> Handle? {
            let far = source.fartherCandidates(limit: 22, seed: seed(session)).map(\.handle)
                .filter { $0.description.hasSuffix("_fern22") }
            if far.isEmpty { return nil }
            return source.candidates(limit: 20, seed: seed(session)).map(\.handle).first(where: far.contains)
        }
        let session = try #require((0..<1_000_000).first { both($0) != nil })
        let registry = try await freshRegistry(hintsBytes: Self.hintsBytes)
        try await registry.fillHints()
        // All other near ones have a hint.
        let near = source.candidates(limit: 10_000, seed: seed(session)).map(\.handle)
        registry.hints.insert(near.filter { $0 != both(session) })
        let found = try await registry.suggestions(for: "fern22", count: 20, session: "\(session)").map(\.handle)
        #expect(found.first == both(session))
        #expect(found.count == 20 && Set(found).count == 20)
    }
}
