import Seeds
import Testing

@testable import HandleRules
@testable import HandleWords

@Suite struct ReservedWordListTests {
    @Test func builtInListIsWellFormed() throws {
        let list = try ReservedWord.list(parsing: Seeds.reservedWords)
        #expect(list.count >= 600)
        #expect(Set(list.map(\.category)).count >= 8)
        #expect(Set(list.map(\.match)) == [.exact, .lookalike, .authority, .affix])
    }

    @Test func technicalWordsWithADigitMatchExactly() throws {
        let technical: Set = ["routes", "files", "features", "developers", "infrastructure", "placeholders"]
        let list = try ReservedWord.list(parsing: Seeds.reservedWords).filter { technical.contains($0.category) }
        let withDigit = list.filter(\.word.hasDigit)
        #expect(withDigit.count > 100)
        for word in withDigit { #expect(word.match == .exact, "\(word.word)") }
    }

    @Test func listHasOnlyTheKindsThatItMayHave() {
        for (text, kinds) in [
            ("acme\tx\tinnocent\nshop\tx\taffix", [WordKind.innocent]),
            ("acme\tx\texact\nshop\tx\tnone", WordKind.words),
        ] {
            #expect {
                try WordLine.list(parsing: text.utf8, of: kinds)
            } throws: { error in
                (error as? ReservedWord.ListError)?.line == 2 && "\(error)".contains("this list can't have the match")
            }
        }
    }

    @Test func innocentNamesAreSortedAndSayWhichWordTheyResemble() throws {
        let words = ReservedWords(try ReservedWord.listed())
        let listed = try ReservedWords.listed()
        let names = try WordLine.list(parsing: Seeds.innocentNames, of: [.innocent])
        #expect(names.count > 50)
        #expect(names.map(\.word) == names.map(\.word).sorted())
        var locked: [PackedASCII] = []
        for name in names {
            let word = try #require(words.match(name.word), "\(name.word) needs no place in the list")
            #expect(ReservedWords.resemblance(of: name.word, to: word) != .spelled, "\(name.word) is a word itself")
            let relation = word.match == .inside ? "contains" : "resembles"
            #expect(name.comment.hasSuffix("; \(relation) \(word.word)"), "\(name.word): \(word.word)")
            let kinds = ["given name", "surname", "place", "service", "word"]
            let isKnown = name.comment.split(separator: ";")[0].split(separator: " and ").allSatisfy {
                kinds.contains("\($0)")
            }
            #expect(isKnown || word.match.isByLetters && name.comment.hasPrefix("as in "), "\(name.word)")
            #expect(listed.match(name.word) == nil)
            if word.isLocked { locked.append(name.word) }
        }
        // An admin can't add such names. These are surnames that many people have.
        #expect(locked == ["carre", "flagg", "haack", "heid", "rot", "threatt"])
    }

    @Test func kindOfARowIsReadAsItIsWritten() {
        let texts = ["exact", "lookalike", "authority", "affix", "whole", "inside", "innocent", "none"]
        #expect(WordKind.allCases.map(\.rawValue) == texts)
        #expect(texts.map(WordKind.init) == WordKind.allCases)
        #expect(WordKind(rawValue: "fuzzy") == nil)
        #expect(WordKind(rawValue: "Exact") == nil)
        #expect(WordKind.allCases.map(\.match) == ReservedWord.Match.allCases + [nil, nil])
    }

    @Test(arguments: ["admin", "root", "support", "null", "undefined", "api", "www", "paypal", "privacy", "adm1n"])
    func builtInListHasTheExpectedWords(_ name: String) throws {
        let words = ReservedWords(try ReservedWord.list(parsing: Seeds.reservedWords))
        #expect(words.match(try #require(PackedASCII(name.utf8))) != nil)
    }

    @Test(arguments: [
        ("admin roles affix", 1), ("ok\troles\taffix\t\nadmin\troles", 2), ("# note\n\nAdmin\troles\taffix\t", 3),
        ("admin\troles\tfuzzy\t", 1), ("admin\t\texact\t", 1), ("admin\ta\texact\t\nadmin\tb\texact\t", 2),
        ("a_name_too_long_x\troles\texact\t", 1), ("a\troles\texact\t", 1), ("admin\troles\tnone\t", 1),
        ("admin\troles\tinnocent\t", 1), ("shit\tx\twhole\nsh1t\tx\twhole", 2), ("sh_it\tx\tinside\t", 1),
        ("sh\tx\twhole\t", 1),
    ])
    func brokenLineIsRefusedWithItsNumber(_ text: String, _ line: Int) {
        do throws(ReservedWord.ListError) {
            _ = try ReservedWord.list(parsing: text.utf8)
            Issue.record("no error for \(text)")
        } catch {
            #expect(error.line == line)
            #expect(error.description.hasPrefix("line \(line): "))
        }
    }
}
