import Testing

@testable import HandleRules
@testable import HandleWords

@Suite struct SuggestionSourceTests {
    private func candidates(
        _ wanted: String, name: [String] = [], limit: Int = 64, seed: UInt64 = 1
    ) -> [Suggestion] {
        SuggestionSource(wanted: wanted.utf8, name: name.map { Array($0.utf8) }).candidates(limit: limit, seed: seed)
    }

    @Test(arguments: [
        "johndoe", "JohnDoe", "abc", "abcdefghijklmno", "AVeryLongNameThatIsFarTooLong", "", "!!!", "12345", "___",
        "ab", "_x", "john.doe@example.com", "a_b_c_d_e_f_g", "aeiou",
    ])
    func suggestionsAreWellFormedAndDifferent(_ wanted: String) {
        let found = candidates(wanted)
        #expect(found.count >= 20)
        #expect(Set(found.map(\.handle)).count == found.count)
        for suggestion in found {
            #expect(Handle(suggestion.handle.description) == suggestion.handle)
            if let handle = Handle(wanted.lowercased()) {
                #expect(LookalikeKey(suggestion.handle) != LookalikeKey(handle))
            }
        }
    }

    @Test func suggestionsDependOnTheSeed() {
        #expect(candidates("johndoe", seed: 5) == candidates("johndoe", seed: 5))
        #expect(candidates("johndoe", limit: 5, seed: 5) != candidates("johndoe", limit: 5, seed: 6))
    }

    @Test func suggestionsAlternateBetweenMethods() {
        let methods = candidates("johndoe", name: ["John", "Doe"], limit: 5).map(\.method)
        #expect(Set(methods).count >= 4)
    }

    @Test func suggestionsUseTheNameOfThePerson() {
        let handles = candidates("jd", name: ["Olga", "Petrova"]).map(\.handle.description)
        #expect(handles.contains("olgapetrova"))
        #expect(handles.contains("opetrova"))
    }

    @Test func wantedNameIsSplitAtCapitals() {
        #expect(candidates("JohnDoe").map(\.display.description).contains("JDoe"))
    }

    @Test func suggestedNumbersAreNeitherLoadedNorBirthYears() {
        for number in SuggestionWords.numbers + SuggestionWords.longNumbers {
            let value = Int(number.description) ?? 0
            #expect(value < 1000 || value > 2199)
            #expect(!(40...99).contains(value))
            for loaded in ["69", "88", "420", "666", "1488", "18", "911"] {
                #expect(!number.description.contains(loaded))
            }
        }
    }

    @Test(arguments: ["johndoe", "JohnDoe", "abc", "abcdefghijklmno", "AVeryLongNameThatIsFarTooLong", "", "x9"])
    func suggestionsNeverRunOut(_ wanted: String) {
        let source = SuggestionSource(wanted: wanted.utf8)
        let near = Set(source.candidates(limit: 10_000, seed: 1).map(\.handle))
        #expect(near.count >= 576)
        // Even if all near suggestions are taken, and a thousand other callers were offered farther ones.
        var farther: Set<Handle> = []
        for seed in 0..<1000 {
            farther.formUnion(source.fartherCandidates(limit: 5, seed: UInt64(seed)).map(\.handle))
        }
        #expect(farther.isDisjoint(with: near))
        #expect(farther.count > 4000)
        let others = source.fartherCandidates(limit: 64, seed: 1000).filter { !farther.contains($0.handle) }
        #expect(others.count >= 5)
    }

    @Test func refusedCandidatesAreReplacedByTheNext() {
        let source = SuggestionSource(wanted: "johndoe".utf8)
        let all = source.candidates(limit: 12, seed: 1)
        let refused = Set(all.prefix(4).map(\.handle))
        #expect(source.candidates(limit: 8, seed: 1) { !refused.contains($0) } == Array(all.suffix(8)))
    }

    @Test(arguments: [1, 7, 64]) func searchEndsSoonWhenNearlyAllCandidatesAreRefused(limit: Int) {
        let source = SuggestionSource(wanted: "johndoe".utf8)
        var asked = 0
        #expect(
            source.candidates(limit: limit, seed: 1) { _ in
                asked += 1; return false
            }.isEmpty)
        #expect(
            source.fartherCandidates(limit: limit, seed: 1) { _ in
                asked += 1; return false
            }.isEmpty)
        #expect(asked == 2 * (4 * limit + 1))
    }

    @Test func cleanedNameIsGivenOnceIfItHasNoGap() {
        func cleaned(_ wanted: String) -> [String] {
            SuggestionSource(wanted: wanted.utf8).cleaned.map(\.description)
        }
        #expect(cleaned("JohnDoe") == ["JohnDoe"])
        #expect(cleaned("O'Neill") == ["ONeill"])
        #expect(cleaned("John_Doe") == ["John_Doe", "JohnDoe"])
        #expect(cleaned("-john doe-") == ["john_doe", "johndoe"])
        #expect(cleaned("- a").isEmpty)
    }

    @Test func longNameIsAbbreviated() {
        let found = candidates("christopherson").filter { $0.method == .abbreviation }
        #expect(found.map(\.handle.description) == ["chrstphrsn"])
    }
}
