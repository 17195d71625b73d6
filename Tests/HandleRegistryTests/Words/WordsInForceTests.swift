import Foundation
import HandleRegistry
import HandleRules
import HandleWords
import TestSupport
import Testing

/// The built-in words with changes, and the effect of further ones.
@Suite struct WordsInForceTests {
    private func words(_ changes: WordChange...) throws -> WordsInForce {
        var words = try WordsInForce.builtIn()
        words.apply(changes)
        return words
    }

    @Test func effectTellsWhatAChangeOfAWordWouldDo() throws {
        let words = try words(.add("zebra", .exact), .remove("store"))
        #expect(words.effect(of: .add("okapi", .authority)) == .added)
        #expect(words.effect(of: .add("zebra", .exact)) == .same)
        #expect(words.effect(of: .add("zebra", .affix)) == .changed)
        #expect(words.effect(of: .add("zebra", .exact, comment: "x")) == .changed)
        #expect(words.effect(of: .add("zebra", .exact, category: "x")) == .changed)
        #expect(words.effect(of: .add("shop", .exact)) == .changed)
        #expect(words.effect(of: .remove("zebra")) == .removed)
        #expect(words.effect(of: .remove("shop")) == .removed)
        #expect(words.effect(of: .add("store", .exact)) == .added)
        // A list can be applied again.
        #expect(words.effect(of: .remove("store")) == .same)
        #expect(words.effect(of: .remove("quagga")) == .unknown)
        // As in the built-in list.
        let authn = WordChange(
            word: "authn", category: "accounts", kind: .word(.affix), source: "x", comment: "HTTP authentication",
            actor: "tester")
        #expect(words.effect(of: authn) == .same)
        #expect(words.effect(of: .add("authn", .affix, category: "accounts")) == .same, "no comment of its own")
        #expect(words.effect(of: .add("authn", .affix, category: "accounts", comment: "x")) == .changed)
    }

    @Test func effectTellsThatALockedWordStays() throws {
        let words = try words(.remove("admin"))
        let admin = ReservedWord(word: "admin", category: "roles", match: .affix)
        for change: WordChange in [.remove("admin"), .add("admin", .affix), .exempt("admin")] {
            #expect(words.effect(of: change) == .locked(admin))
        }
        // A list may have the word as it is, with a comment of its own.
        #expect(words.effect(of: .add("admin", .affix, category: "roles", comment: "x")) == .same)
        let ending = WordChange(
            word: "admin", category: "roles", kind: .word(.affix), actor: "tester", until: .distantFuture)
        #expect(words.effect(of: ending) == .locked(admin))
        #expect(words.tables.match("adm1n") == admin)
    }

    @Test func effectTellsWhatAnInnocentNameWouldDo() throws {
        let words = try words(
            .exempt("z3bra"), .add("zebra", .affix), .remove("store"), .add("okapi", .exact), .remove("okapi"))
        #expect(words.effect(of: .exempt("zebr4")) == .added)
        #expect(words.effect(of: .exempt("z3bra")) == .same)
        #expect(words.effect(of: .add("z3bra", .exact)) == .changed)
        #expect(words.effect(of: .remove("z3bra")) == .removed)
        #expect(words.effect(of: .exempt("okapi")) == .added)
        let zebra = ReservedWord(word: "zebra", category: "test", match: .affix)
        #expect(words.effect(of: .exempt("zebra")) == .reserved(zebra))
        let shop = ReservedWord(word: "shop", category: "payment", match: .affix)
        #expect(words.effect(of: .exempt("shop")) == .reserved(shop))
        // The built-in word would come back.
        let store = ReservedWord(word: "store", category: "payment", match: .affix)
        #expect(words.effect(of: .exempt("store")) == .takenOff(store))
        let elsewhere = WordChange(word: "z3bra", category: "people", kind: .innocent, actor: "tester")
        #expect(words.effect(of: elsewhere) == .same)
    }

    /// A claim of it would pose as the operator.
    @Test func disguiseOfALockedWordCannotBeInnocent() throws {
        let names: [PackedASCII] = ["adm1n", "admin_team", "real_support", "moderator99"]
        let words = try words(.exempt(names[0]), .exempt(names[1]), .exempt(names[2]), .exempt(names[3]))
        for name in names {
            #expect(words.tables.match(name) != nil)
            guard case .imitates(let other) = words.effect(of: .exempt(name)) else {
                Issue.record("\(name) can be innocent")
                continue
            }
            #expect(other.isLocked)
            #expect(words[name] == nil)
        }
        // Built in, although it looks like a locked word.
        #expect(words.effect(of: .exempt("carre")) == .same)
        let commented = WordChange(word: "carre", category: "x", kind: .innocent, comment: "a band", actor: "tester")
        #expect(words.effect(of: commented) == .changed)
        var later = words
        later.apply([commented])
        #expect(later.effect(of: commented) == .same)
        #expect(later.effect(of: .exempt("carre")) == .changed, "the comment is cleared")
    }

    @Test func innocentNameIsRefusedOnlyIfItIsAWord() throws {
        let words = try words(.add("zebra", .affix), .exempt("z3bra"), .exempt("my_zebra"))
        for name: PackedASCII in ["z3bra", "my_zebra"] { #expect(words.tables.match(name) == nil, "\(name)") }
        for name: PackedASCII in ["zebra", "ze_bra", "my_z3bra", "z3bra1"] {
            #expect(words.tables.match(name) != nil, "\(name)")
        }
        #expect(words["z3bra"]?.kind == .innocent)
        var later = words
        later.apply([.add("z3bra", .exact)])
        #expect(later.tables.match("z3bra")?.word == "z3bra")
        later.apply([.remove("z3bra")])
        #expect(later.tables.match("z3bra")?.word == "zebra")
        #expect(later["z3bra"] == nil)
    }

    /// The name was no word when it became innocent.
    @Test func wordOfANewerProgramStaysAWord() throws {
        let words = try words(.exempt("store"))
        #expect(words.tables.match("store")?.word == "store")
        #expect(words["store"]?.kind == .word(.affix))
        #expect(words.entries.count { $0.word == "store" } == 1)
    }

    /// A word may be in its place for a while.
    @Test func builtInInnocentNameStays() throws {
        let builtIn = try WordsInForce.builtIn()
        // It would be refused if it weren't innocent.
        let name: PackedASCII = "ballance"
        let table = ReservedWords(builtIn.entries.compactMap(\.reservedWord))
        #expect(table.match(name) != nil && builtIn.tables.match(name) == nil)
        #expect(builtIn[name]?.kind == .innocent && builtIn[name]?.source == WordChange.builtIn)
        #expect(builtIn.effect(of: .remove(name)) == .builtInInnocent)
        #expect(builtIn.effect(of: .exempt(name)) == .same)
        var words = try words(.add(name, .exact))
        #expect(words.tables.match(name)?.word == name)
        #expect(words.effect(of: .remove(name)) == .removed)
        words.apply([.remove(name)])
        #expect(words.tables.match(name) == nil)
        #expect(words[name] == builtIn[name])
        #expect(words.entries == builtIn.entries)
    }

    @Test func entriesAreThoseInForceInAlphabeticalOrder() throws {
        let words = try words(.add("zebra", .authority), .exempt("z3bra"), .remove("store"))
        let entries = words.entries
        #expect(entries.map(\.word) == entries.map(\.word).sorted())
        #expect(Set(entries.map(\.word)).count == entries.count)
        #expect(entries.count == (try WordsInForce.builtIn().entries.count) + 1)
        for entry in entries { #expect(words[entry.word] == entry) }
        for word: PackedASCII in ["store", "quagga"] { #expect(words[word] == nil) }
    }

    @Test func lastChangeOfAWordCounts() throws {
        let changed = try words(
            .add("zebra", .affix), .add("zebra", .exact), .remove("store"), .add("store", .exact), .exempt("st0re"),
            .add("st0re", .exact), .exempt("z3bra"), .remove("z3bra"), .add("z3bra", .exact)
        ).tables
        #expect(changed.match("zebra") != nil)
        #expect(changed.match("real_zebra") == nil)
        #expect(changed.match("store")?.match == .exact)
        #expect(changed.match("st0re")?.word == "st0re")
        #expect(changed.match("z3bra")?.word == "z3bra")
        #expect(try words(.remove("st0re"), .exempt("st0re")).tables.match("st0re") == nil)
        #expect(try words(.add("okapi", .affix), .exempt("okapi")).tables.match("okapi") == nil)
        #expect(try words(.exempt("st0re"), .remove("st0re")).tables.match("st0re")?.word == "store")
    }
}
