import HandleCore
import HandleRegistry
import TestSupport
import Testing

/// How many names the reserved words refuse, before and after changes.
@Suite struct WordMeasurementTests {
    private let names: [PackedASCII] = [
        "zebra", "z3bra", "ze_bra", "zzebra", "real_zebra", "zebra99", "johndoe", "okapi", "0kapi", "admin", "adm1n",
    ]

    @Test func namesAreCountedByWayCategoryAndWord() throws {
        let words = try ProposedWords.builtIn(with: [
            .add("zebra", .affix), .add("okapi", .lookalike, category: "others"),
        ])
        let measured = words.measure(names)
        #expect(measured.names == 11)
        #expect(measured[.spelled] == .init(before: 1, after: 3))
        #expect(measured[.looks] == .init(before: 1, after: 4))
        #expect(measured[.doubled] == .init(before: 0, after: 1))
        #expect(measured[.affix] == .init(before: 0, after: 2))
        #expect(measured.refused == .init(before: 2, after: 10))
        #expect(measured.disguises == .init(before: 1, after: 7))
        #expect(
            measured.categories == [
                "roles": .init(before: 2, after: 2), "test": .init(before: 0, after: 6),
                "others": .init(before: 0, after: 2),
            ])
        let top = measured.topWords(2)
        #expect(top.map(\.word) == ["zebra", "admin"])
        #expect(top[0].hits.names == .init(before: 0, after: 6))
        #expect(top[0].hits.category == "test")
        // A word itself is no example of its disguises.
        #expect(top[0].hits.examples == ["z3bra", "ze_bra", "zzebra"])
        #expect(measured.newlyRefused.count == 8)
        let others: Set<PackedASCII> = ["johndoe", "admin", "adm1n"]
        #expect(measured.newlyRefused.first.map(\.name) == names.filter { !others.contains($0) })
        #expect(measured.newlyRefused.first.map(\.way).prefix(5) == [.spelled, .looks, .looks, .doubled, .affix])
        #expect(measured.newlyFree.count == 0)
        #expect(!measured.isSame)
    }

    @Test func figuresOfPartsAddUp() throws {
        let words = try ProposedWords.builtIn(with: [
            .add("zebra", .affix), .add("okapi", .lookalike), .remove("blog"),
        ])
        var many: [PackedASCII] = []
        for number in 0..<30 { many += names + ["blog", "bl0g", try #require(PackedASCII("zebra\(number)".utf8))] }
        var sum = WordMeasurement()
        for start in stride(from: 0, to: many.count, by: 7) {
            sum.add(words.measure(Array(many[start..<min(start + 7, many.count)])))
        }
        #expect(sum == words.measure(many))
        #expect(sum.newlyFree.count == 60)
        #expect(sum.newlyFree.first.count == WordMeasurement.mostDifferences)
        #expect(sum.words["zebra"]?.examples == ["z3bra", "ze_bra", "zzebra"])
    }

    @Test func measurementWithoutChangesIsTheSameBeforeAndAfter() throws {
        let words = try ProposedWords.builtIn(with: [])
        #expect(!words.areChanged)
        let measured = words.measure(names)
        #expect(measured.refused == .init(before: 2, after: 2))
        #expect(measured.isSame)
    }

    @Test func wordThatChangesItsMatchFreesNames() throws {
        let words = try ProposedWords.builtIn(with: [.add("blog", .exact, category: "other")])
        let measured = words.measure(["blog", "bl0g", "my_blog"])
        #expect(measured.newlyFree.first.map(\.name) == ["bl0g", "my_blog"])
        #expect(measured.newlyFree.first.map(\.isRefused) == [false, false])
        // The category after the edit counts for the word.
        #expect(measured.words["blog"]?.category == "other")
        #expect(measured.words["blog"]?.names == .init(before: 3, after: 1))
    }

    /// The examples show why a word refuses names now, and for a word that refuses none, why it did.
    @Test func examplesOfAWordAreThoseAfterTheChanges() throws {
        let words = try ProposedWords.builtIn(with: [.add("blog", .lookalike)])
        let narrowed = words.measure(["myblog", "blog99", "bl0g", "bl_og", "bl0g"])
        #expect(narrowed.words["blog"]?.examples == ["bl0g", "bl_og"])
        #expect(words.measure(["myblog", "blog99"]).words["blog"]?.examples == ["myblog", "blog99"])
        #expect(words.measure(["myblog", "blog"]).words["blog"]?.examples == [])
    }

    @Test func innocentNameIsRefusedOnlyIfItIsAWord() throws {
        let words = try ProposedWords.builtIn(with: [.exempt("bl0g"), .exempt("my_blog"), .exempt("blog")])
        let measured = words.measure(["blog", "bl0g", "my_blog", "blogs_"])
        #expect(measured.newlyFree.first.map(\.name) == ["bl0g", "my_blog"])
        #expect(words.after.match("blog") != nil)
    }

    @Test func lastChangeOfAWordCounts() throws {
        let changes: [WordChange] = [
            .add("zebra", .affix), .add("zebra", .exact), .remove("blog"),
            .add("blog", .exact), .exempt("bl0g"), .add("bl0g", .exact), .exempt("z3bra"),
            .remove("z3bra"), .add("z3bra", .exact),
        ]
        let words = try ProposedWords.builtIn(with: changes)
        #expect(words.after.match("zebra") != nil)
        #expect(words.after.match("real_zebra") == nil)
        #expect(words.after.match("blog")?.match == .exact)
        #expect(words.after.match("bl0g")?.word == "bl0g")
        #expect(words.after.match("z3bra")?.word == "z3bra")
        let exemptLast = try ProposedWords.builtIn(with: [.remove("bl0g"), .exempt("bl0g")])
        #expect(exemptLast.after.match("bl0g") == nil)
        let exemptWord = try ProposedWords.builtIn(with: [.add("okapi", .affix), .exempt("okapi")])
        #expect(exemptWord.after.match("okapi") == nil)
        let removedLast = try ProposedWords.builtIn(with: [.exempt("bl0g"), .remove("bl0g")])
        #expect(removedLast.after.match("bl0g")?.word == "blog")
    }

    @Test func changesApplyToTheWordsInForce() async throws {
        let registry = try await freshRegistry()
        try await registry.putWords([
            .add("zebra", .affix), .remove("blog"),
        ])
        let words = try await registry.proposedWords(with: [.remove("zebra"), .add("okapi", .exact)])
        let measured = words.measure(["real_zebra", "blog", "okapi"])
        #expect(measured.refused == .init(before: 1, after: 1))
        #expect(measured.newlyRefused.first.map(\.name) == ["okapi"])
        #expect(measured.newlyFree.first.map(\.name) == ["real_zebra"])
        // Nothing was changed.
        #expect(registry.words.match("real_zebra") != nil)
        #expect(try await registry.wordChanges().count == 2)
    }

    /// One measurement, because it tries those of every built-in word too.
    @Test func disguisesAreTriedBeforeAndAfterTheChanges() throws {
        let words = try ProposedWords.builtIn(with: [
            .add("zebra", .affix), .exempt("z3bra"), .remove("blog"), .add("shop", .exact),
        ])
        #expect(words.before.match("blog")?.match == .affix)
        #expect(words.before.match("shop")?.match == .affix)
        let measured = try words.measureDisguises()
        for kind in Disguise.Kind.allCases {
            #expect(measured[kind].count > 100)
            #expect(Double(measured[kind].refused.after) > 0.9 * Double(measured[kind].count), "\(kind)")
        }
        #expect(measured.all.count == Disguise.Kind.allCases.reduce(0) { $0 + measured[$1].count })
        // Those of the new word are refused after the changes only, but for the one that is innocent. Those of the words
        // that are taken off, or refuse fewer names, are tried too, and are refused before the changes only.
        func disguises(_ word: PackedASCII) -> [Disguise] {
            Disguise.all(of: ReservedWord(word: word, category: "test", match: .affix))
        }
        let gained = disguises("zebra").count - 1
        let narrowed = disguises("blog") + disguises("shop")
        // A few are like another word too, or are innocent.
        let lost = narrowed.count { words.before.match($0.name) != nil && words.after.match($0.name) == nil }
        #expect(lost > narrowed.count - 5)
        #expect(measured.all.refused.after - measured.all.refused.before == gained - lost)
        let missed = measured[.digit].missed
        #expect(missed.contains { $0.name == "z3bra" || $0.word == "blog" || $0.word == "shop" })
    }
}
