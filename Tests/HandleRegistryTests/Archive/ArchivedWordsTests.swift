import HandleRegistry
import HandleRules
import HandleWords
import Postgres
import TestSupport
import Testing

/// The changes of reserved words in an archive.
@Suite struct ArchivedWordsTests {
    private func archive(_ changes: [WordChange]) async throws -> [String] {
        let registry = try await freshRegistry()
        try await registry.putWords(changes)
        return try await lines(registry)
    }

    /// Another instance has not read the imported words yet, and decides by those of before.
    @Test func importedWordRefusesAClaimAtAnotherInstance() async throws {
        let archive = try await archive([.add("acmecorp", .authority), .exempt("acm3corp")])
        let here = try await freshRegistry()
        let there = try Registry(pool: patientPool(here.database))
        try await there.refreshWords()
        _ = try await restore(archive, into: here)
        #expect(there.words.match("acmecorp") == nil)
        #expect(try await there.claim("acmecorp", for: owner("one")).kind == .refused(.reservedWord))
        #expect(try await there.claim("acm3corp", for: owner("two")).kind == .done)
    }

    private static let wordsVersion = "SELECT version FROM words_version"

    /// More words than one transaction of the import. Each counted change makes claims read all words again.
    @Test func importCountsOneChangeForManyWordsAndNoneForThoseThatAreThere() async throws {
        let changes = (0..<1201).map { WordChange.add(PackedASCII("word\($0)x".utf8) ?? PackedASCII(), .exact) }
        let archive = try await archive(changes)
        let registry = try await freshRegistry()
        #expect(try await restore(archive, into: registry).counts.words == 1201)
        #expect(try await lines(registry) == archive)
        #expect(try await registry.number(Self.wordsVersion) == 3)
        let again = try await restore(archive, into: registry)
        #expect(again.counts.words == 0 && again.refused.isEmpty)
        #expect(try await registry.number(Self.wordsVersion) == 3)
        // Of words that differ here, each is reported.
        try await registry.change(.add("word7x", .affix))
        try await registry.change(.remove("word8x"))
        #expect(try await restore(archive, into: registry).refused == ["word7x", "word8x"])
    }
}
