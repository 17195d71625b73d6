import HandleRegistry
import HandleRules
import HandleWords
import TestSupport
import Testing

/// The preview of changes of the reserved words, before they are made.
@Suite struct WordPlanTests {
    private func change(
        _ word: PackedASCII, _ match: ReservedWord.Match, category: String = "test", comment: String = ""
    ) -> WordChange {
        WordChange(
            word: word, category: category, kind: .word(match), source: "list", comment: comment, actor: "tester")
    }

    @Test func wordsInForceAreListedWithTheirSource() async throws {
        let registry = try await freshRegistry()
        let count = registry.words.count
        try await registry.putWords([change("zebra", .lookalike, comment: "striped")])
        _ = try await registry.change(.remove("blog"))
        let all = try await registry.wordsInForce().entries
        #expect(all.count { $0.kind.match != nil } == count)
        #expect(registry.words.count == count)
        #expect(all.map(\.word) == all.map(\.word).sorted())
        let zebra = try #require(all.first { $0.word == "zebra" })
        #expect(zebra.source == "list" && zebra.comment == "striped" && zebra.changedAt != nil)
        let authn = try #require(all.first { $0.word == "authn" })
        #expect(authn.source == WordChange.builtIn && authn.comment == "HTTP authentication" && authn.actor.isEmpty)
        #expect(!all.contains { $0.word == "blog" })
        let innocent = all.filter { $0.kind == .innocent }
        #expect(innocent.count > 50)
        #expect(innocent.allSatisfy { $0.source == WordChange.builtIn && $0.category == "innocent" })
    }

    @Test func previewShowsTheNamesThatWordsWouldRefuse() async throws {
        let registry = try await freshRegistry()
        for number in 0..<25 { _ = try await registry.claim("qzebra\(number)", for: owner("one-\(number)")) }
        _ = try await registry.claim("z3bra", for: owner("two"))
        _ = try await registry.claim("johndoe", for: owner("three"))
        _ = try await registry.reserve("real_zebra", Reservation(reason: "ours"))
        // Refused already, so the new words make no difference to them.
        _ = try await registry.reserve("admin", Reservation(reason: "ours"))
        let preview = try await registry.preview(of: [
            change("zebra", .affix), change("smith", .exact), change("admin2", .exact),
        ])
        #expect(preview.namesInUse.refused.count == 2)
        #expect(preview.namesInUse.refused.first.map(\.name) == ["real_zebra", "z3bra"])
        #expect(preview.namesInUse.refused.first.map(\.word.word) == ["zebra", "zebra"])
        #expect(preview.namesInUse.free.count == 0)
        #expect(preview.records.mapValues { $0.owner?.id } == ["real_zebra": nil, "z3bra": "two"])
        #expect(preview.commonNames.refused.first.map(\.name) == ["smith"])
        #expect(preview.refusesNames)
        let many = try await registry.preview(of: [change("qzebra", .affix)])
        #expect(many.namesInUse.refused.count == 25)
        #expect(many.records.count == WordPreview.Names.most)
        #expect(many.commonNames.refused.count + many.commonNames.free.count == 0)
        #expect(try await !registry.preview(of: []).refusesNames)
        // Nothing has changed.
        #expect(try await registry.wordChanges().isEmpty)
    }

    @Test func previewShowsTheNamesThatAWordWouldFree() async throws {
        let registry = try await freshRegistry()
        try await registry.putWords([change("zebra", .affix), change("smith", .lookalike)])
        _ = try await registry.reserve("real_zebra", Reservation(reason: "ours"))
        let preview = try await registry.preview(of: [change("zebra", .exact), .remove("smith")])
        #expect(preview.namesInUse.free.first.map(\.name) == ["real_zebra"])
        #expect(preview.commonNames.free.first.map(\.name) == ["smith"])
        #expect(!preview.refusesNames)
        #expect(preview.records.isEmpty)
    }

    @Test func commonNamesAreLegalHandlesAndMostlyUnreserved() throws {
        let names = try Registry.commonNames()
        #expect(names.count >= 1000 && Set(names).count == names.count)
        for name in names { #expect(Handle(name) != nil, "\(name)") }
        // If many names of the sample were reserved already, the sample would show little about new words.
        let words = try ReservedWords.builtIn()
        #expect(names.count { words.match($0) == nil } > names.count * 95 / 100)
    }
}
