import Seeds
import Testing

@testable import HandleCore

private let words = ReservedWords([
    ReservedWord(word: "admin", category: "roles", match: .affix),
    ReservedWord(word: "support", category: "support", match: .affix),
    ReservedWord(word: "login", category: "accounts", match: .lookalike),
    ReservedWord(word: "ads", category: "routes", match: .exact),
    ReservedWord(word: "about", category: "routes", match: .exact),
])

private func match(_ text: String) -> String? {
    words.match(PackedASCII(text.utf8) ?? PackedASCII())?.word.description
}

@Suite struct ReservedWordsTests {
    @Test(arguments: [
        ("admin", "admin"), ("adm1n", "admin"), ("ad_min", "admin"), ("real_admin", "admin"), ("admin1", "admin"),
        ("admin_2024", "admin"), ("the_admin", "admin"), ("theadmin", "admin"), ("admin_team", "admin"),
        ("adm1nteam", "admin"), ("official_admin", "admin"), ("real_admin_99", "admin"), ("support_team", "support"),
        ("supportteam", "support"), ("realadminteam", "admin"), ("log1n", "login"), ("lo_gin", "login"),
        ("ads", "ads"), ("_admin", "admin"), ("4dm1n", "admin"), ("admin_", "admin"),
    ])
    func seesThroughDisguises(_ name: String, _ word: String) {
        #expect(match(name) == word)
    }

    @Test(arguments: [
        "adam", "adminton", "badminton", "adds", "a_ds", "login2", "real_login", "ab0ut", "about_me", "johndoe",
        "theo", "team", "official", "2024", "sup", "x",
    ])
    func leavesOtherNamesAlone(_ name: String) {
        #expect(match(name) == nil)
    }

    @Test func findsNothingWithoutWords() {
        #expect(ReservedWords([]).match("admin") == nil)
    }

    @Test func findsEveryWordOfALargeList() {
        let list = (0..<5000).map { number in
            ReservedWord(
                word: PackedASCII("w\(number)x".utf8) ?? PackedASCII(), category: "test", match: .exact)
        }
        let words = ReservedWords(list)
        for word in list { #expect(words.match(word.word) == word) }
        #expect(words.match("w5000x") == nil)
    }
}

@Suite struct ReservedWordListTests {
    @Test func theSeedsAreAWellFormedList() throws {
        let list = try ReservedWord.list(parsing: Seeds.reservedWords)
        #expect(list.count >= 600)
        #expect(Set(list.map(\.category)).count >= 8)
        #expect(Set(list.map(\.match)) == Set(ReservedWord.Match.allCases))
    }

    @Test(arguments: ["admin", "root", "support", "null", "undefined", "api", "www", "paypal", "privacy", "adm1n"])
    func theSeedsHaveWhatEverybodyExpects(_ name: String) throws {
        let words = ReservedWords(try ReservedWord.list(parsing: Seeds.reservedWords))
        #expect(words.match(try #require(PackedASCII(name.utf8))) != nil)
    }

    @Test(arguments: [
        ("admin roles affix", 1), ("ok\troles\taffix\t\nadmin\troles", 2), ("# note\n\nAdmin\troles\taffix\t", 3),
        ("admin\troles\tfuzzy\t", 1), ("admin\t\texact\t", 1), ("admin\ta\texact\t\nadmin\tb\texact\t", 2),
        ("a_name_too_long_x\troles\texact\t", 1), ("a\troles\texact\t", 1),
    ])
    func refusesABrokenLineByItsNumber(_ text: String, _ line: Int) {
        do throws(ReservedWord.ListError) {
            _ = try ReservedWord.list(parsing: text.utf8)
            Issue.record("no error for \(text)")
        } catch {
            #expect(error.line == line)
            #expect(error.description.hasPrefix("line \(line): "))
        }
    }
}
