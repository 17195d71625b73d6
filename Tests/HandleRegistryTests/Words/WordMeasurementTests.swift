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
            .add("zebra", .affix), .add("okapi", .lookalike), .remove("store"),
        ])
        var many: [PackedASCII] = []
        for number in 0..<30 { many += names + ["store", "st0re", try #require(PackedASCII("zebra\(number)".utf8))] }
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
        let words = try ProposedWords.builtIn(with: [.add("store", .exact, category: "other")])
        let measured = words.measure(["store", "st0re", "my_store"])
        #expect(measured.newlyFree.first.map(\.name) == ["st0re", "my_store"])
        #expect(measured.newlyFree.first.map(\.isRefused) == [false, false])
        // The category after the edit counts for the word.
        #expect(measured.words["store"]?.category == "other")
        #expect(measured.words["store"]?.names == .init(before: 3, after: 1))
    }

    /// The examples show why a word refuses names now, and for a word that refuses none, why it did.
    @Test func examplesOfAWordAreThoseAfterTheChanges() throws {
        let words = try ProposedWords.builtIn(with: [.add("store", .lookalike)])
        let narrowed = words.measure(["mystore", "store99", "st0re", "st_ore", "st0re"])
        #expect(narrowed.words["store"]?.examples == ["st0re", "st_ore"])
        #expect(words.measure(["mystore", "store99"]).words["store"]?.examples == ["mystore", "store99"])
        #expect(words.measure(["mystore", "store"]).words["store"]?.examples == [])
    }

    @Test func innocentNameIsRefusedOnlyIfItIsAWord() throws {
        let words = try ProposedWords.builtIn(with: [.exempt("st0re"), .exempt("my_store"), .exempt("store")])
        let measured = words.measure(["store", "st0re", "my_store", "stores_"])
        #expect(measured.newlyFree.first.map(\.name) == ["st0re", "my_store"])
        #expect(words.after.match("store") != nil)
    }

    @Test func lastChangeOfAWordCounts() throws {
        let changes: [WordChange] = [
            .add("zebra", .affix), .add("zebra", .exact), .remove("store"),
            .add("store", .exact), .exempt("st0re"), .add("st0re", .exact), .exempt("z3bra"),
            .remove("z3bra"), .add("z3bra", .exact),
        ]
        let words = try ProposedWords.builtIn(with: changes)
        #expect(words.after.match("zebra") != nil)
        #expect(words.after.match("real_zebra") == nil)
        #expect(words.after.match("store")?.match == .exact)
        #expect(words.after.match("st0re")?.word == "st0re")
        #expect(words.after.match("z3bra")?.word == "z3bra")
        let exemptLast = try ProposedWords.builtIn(with: [.remove("st0re"), .exempt("st0re")])
        #expect(exemptLast.after.match("st0re") == nil)
        let exemptWord = try ProposedWords.builtIn(with: [.add("okapi", .affix), .exempt("okapi")])
        #expect(exemptWord.after.match("okapi") == nil)
        let removedLast = try ProposedWords.builtIn(with: [.exempt("st0re"), .remove("st0re")])
        #expect(removedLast.after.match("st0re")?.word == "store")
    }

    @Test func changesApplyToTheWordsInForce() async throws {
        let registry = try await freshRegistry()
        try await registry.putWords([
            .add("zebra", .affix), .remove("store"),
        ])
        let words = try await registry.proposedWords(with: [.remove("zebra"), .add("okapi", .exact)])
        let measured = words.measure(["real_zebra", "store", "okapi"])
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
            .add("zebra", .affix), .exempt("z3bra"), .remove("store"), .add("shop", .lookalike),
            .add("null", .authority),
        ])
        #expect(words.before.match("store")?.match == .affix)
        #expect(words.before.match("shop")?.match == .affix)
        #expect(words.before.match("null")?.match == .lookalike)
        let measured = try words.measureDisguises()
        for kind in Disguise.Kind.allCases {
            #expect(measured[kind].count > 100)
            #expect(Double(measured[kind].refused.after) > 0.9 * Double(measured[kind].count), "\(kind)")
        }
        #expect(measured.all.count == Disguise.Kind.allCases.reduce(0) { $0 + measured[$1].count })
        // Those of the new word are refused after the changes only, but for the one that is innocent. Those of the words
        // that are taken off, or refuse fewer names, are tried too, and are refused before the changes only.
        func disguises(_ word: PackedASCII, _ match: ReservedWord.Match = .affix) -> [Disguise] {
            Disguise.all(of: ReservedWord(word: word, category: "test", match: match))
        }
        // The match `authority` adds affixes to a short word, but takes its look-alikes.
        let gained = disguises("zebra").count - 1 + disguises("null", .authority).count
        let narrowed = disguises("store") + disguises("shop") + disguises("null", .lookalike)
        let kept = disguises("shop", .lookalike)
        // A few are like another word too, or are innocent.
        let lost = narrowed.count { words.before.match($0.name) != nil && words.after.match($0.name) == nil }
        #expect(lost > narrowed.count - kept.count - 5)
        #expect(measured.all.refused.after - measured.all.refused.before == gained - lost)
        // Those that both matches of a word have are tried once.
        let before = (0..<words.before.count).reduce(0) { $0 + Disguise.all(of: words.before[$1]).count }
        #expect(measured.all.count == before + disguises("zebra").count + disguises("null", .authority).count)
        let missed = measured[.number].missed
        #expect(missed.contains { $0.word == "store" || $0.word == "shop" })
    }
}
