import HandleRules
import HandleWords
import TestSupport
import Testing

@testable import HandleRegistry

@Suite(.timeLimit(.minutes(5))) struct SuggestionTests {
    @Test(arguments: [0, 1 << 20]) func concurrentCallersGetDifferentSuggestions(hintsBytes: Int) async throws {
        let offers = try await whileOffersAreRemembered(hintsBytes) { registry in
            try await race(40) { _ in try await registry.availability(of: "JohnDoe", name: "John Doe").suggestions }
        }
        #expect(offers.allSatisfy { $0.count == 5 })
        #expect(Set(offers.joined().map(\.handle)).count == 200)
    }

    @Test(arguments: [0, 1 << 20]) func oneSessionGetsTheSameSuggestionsAgain(hintsBytes: Int) async throws {
        let (first, second, other, again) = try await whileOffersAreRemembered(hintsBytes) { registry in
            func suggestions(_ session: String) async throws -> [Suggestion] {
                try await registry.availability(of: "johndoe", session: session).suggestions
            }
            let (first, second, other) = try await (suggestions("page-1"), suggestions("page-1"), suggestions("page-2"))
            _ = try await registry.claim("\(first[0].display)", for: owner("two"))
            return try await (first, second, other, suggestions("page-1"))
        }
        #expect(first.count == 5)
        #expect(second == first)
        #expect(Set(other).isDisjoint(with: first))
        // A suggestion that is taken is replaced; the others stay.
        #expect(again.count == 5 && Set(again).isSuperset(of: first.dropFirst()))
    }

    /// The result of `body` for a registry in which johndoe is taken. On a slow machine `body` is repeated until it
    /// ends within the lifetime of the offers.
    private func whileOffersAreRemembered<Result>(
        _ hintsBytes: Int, _ body: (Registry) async throws -> Result
    ) async throws -> Result {
        while true {
            let registry = try await freshRegistry(hintsBytes: hintsBytes)
            try await registry.fillHints()
            _ = try await registry.claim("johndoe", for: owner("one"))
            let start = ContinuousClock.now
            let result = try await body(registry)
            if ContinuousClock.now - start < RecentOffers.lifetime { return result }
        }
    }

    @Test(arguments: ["johndoe", "JohnDoe", "alex", "abcdefghijklmno", "x9z"])
    func suggestionsTakeTwoLookupsWhenEveryNearbyNameIsTaken(_ wanted: String) async throws {
        let registry = try await freshRegistry()
        let near = SuggestionSource(wanted: wanted.utf8).candidates(limit: 10_000, seed: 1).map(\.handle.description)
        try await registry.insert(near + [wanted.lowercased()])
        for _ in 0..<20 {
            let before = registry.lookups.metrics.batches
            let suggestions = try await registry.suggestions(for: wanted, count: 5)
            #expect(suggestions.count == 5)
            #expect(registry.lookups.metrics.batches - before == 2)
            let decisions = try await registry.decisions(about: suggestions.map { "\($0.display)" })
            #expect(!decisions.contains { !$0.isAvailable })
        }
    }

    @Test func suggestionsTakeOneLookupWhenNearbyNamesAreFree() async throws {
        let registry = try await freshRegistry()
        for count in [1, 5, 20] {
            let before = registry.lookups.metrics.batches
            #expect(try await registry.suggestions(for: "johndoe", count: count, seed: 3).count == count)
            #expect(registry.lookups.metrics.batches - before == 1)
        }
    }

    @Test func offersAreForgottenAfterTheirLifetime() {
        var offers = RecentOffers()
        let some = SuggestionSource(wanted: "johndoe".utf8).candidates(limit: 6, seed: 1)
        let start = RecentOffers.now
        #expect(offers.take(4, of: some, at: start) == Array(some.prefix(4)))
        #expect(offers.take(4, of: some, at: start + .seconds(9)) == Array(some.suffix(2)))
        #expect(offers.take(4, of: some, at: start + .seconds(11)) == Array(some.prefix(4)))
        offers = RecentOffers()
        _ = offers.take(2, of: some, for: 1, at: start)
        func given(_ index: Int, to caller: UInt64?, after seconds: Int) -> Bool {
            offers.hasGiven(some[index].handle, toOtherThan: caller, at: start + .seconds(seconds))
        }
        #expect(given(0, to: 2, after: 9))
        #expect(given(1, to: nil, after: 9))
        #expect(!given(1, to: 1, after: 9))
        #expect(!given(2, to: 2, after: 9))
        #expect(!given(0, to: 2, after: 10))
    }

    /// Each caller after some hundred needs farther names, because the near ones were offered to others.
    @Test func suggestionsTakeOneLookupWhileNearNamesAreOfferedToOthers() async throws {
        let registry = try await freshRegistry()
        for _ in 0..<300 {
            let suggestions = try await registry.availability(of: "admin").suggestions
            #expect(suggestions.count == 5)
        }
        #expect(registry.lookups.metrics.callers < 310)
    }

    @Test func offersAreRememberedInBoundedSpace() {
        let offers = RecentOffers()
        let start = RecentOffers.now
        let source = SuggestionSource(wanted: "johndoe".utf8)
        let first = source.candidates(limit: 5, seed: 1)
        _ = offers.take(5, of: first, at: start)
        for seed in UInt64(0)..<200 {
            let later = source.fartherCandidates(limit: 100, seed: seed)
            _ = offers.take(100, of: later, at: start + .nanoseconds(1))
        }
        #expect(offers.count <= 4096)
        #expect(offers.count > 4000)
        // The oldest offers were forgotten to make room.
        #expect(offers.take(5, of: first, at: start + .nanoseconds(2)) == first)
    }
}
