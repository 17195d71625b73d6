import TestSupport
import Testing

@testable import HandleRules
@testable import HandleWords

private func key(_ text: String) -> String {
    LookalikeKey(PackedASCII(text.utf8) ?? PackedASCII()).description
}

/// Three of a letter count as two, but a digit among them counts as itself: `gooogle` looks like `google`, and `goo0gle`
/// does not. The rules of other services know no runs.
private func hasThreeOfAClass(_ name: [Character]) -> Bool {
    let folded = (PackedASCII(String(name).utf8) ?? PackedASCII()).folded.withoutUnderscores
    return (0..<folded.count).dropFirst(2).contains { folded[$0] == folded[$0 - 1] && folded[$0] == folded[$0 - 2] }
}

@Suite struct LookalikeKeyTests {
    @Test(arguments: [
        ("google", "g00gle"), ("admin", "adm1n"), ("admin", "ad_min"), ("alice", "aiice"), ("help", "he1p"),
        ("official", "officia1"), ("admin", "admln"), ("moderator", "rnoderator"), ("wave", "vvave"),
        ("clown", "down"), ("support", "5upp0rt"), ("bob", "8o8"), ("admin", "a_d_m_i_n"),
        ("team", "7eam"), ("zed", "2ed"), ("Admin", "ADMIN"), ("form", "forrn"), ("form", "forrrn"),
        ("director", "clirector"), ("add", "aclcl"), ("summer", "surnrner"),
    ])
    func keysOfNamesThatLookAlikeAreEqual(_ name: String, _ disguise: String) {
        #expect(key(name) == key(disguise))
    }

    @Test(arguments: [("john", "jane"), ("admin", "adam"), ("maria", "mario"), ("sam", "pam"), ("rain", "main")])
    func keysOfNamesThatDoNotLookAlikeDiffer(_ first: String, _ second: String) {
        #expect(key(first) != key(second))
    }

    @Test func namesOfTheVectorsLookAlikeOrNot() throws {
        let (alike, different) = (Vectors.read("alike"), Vectors.read("different"))
        #expect(alike.count > 20)
        #expect(different.count > 20)
        for names in alike { #expect(key(names[0]) == key(names[1]), "\(names)") }
        for names in different { #expect(key(names[0]) != key(names[1]), "\(names)") }
    }

    /// Two numbers behind one name never look alike, so a series of names has no twins.
    @Test(arguments: ["kite", "team", "c", "rn", "oo", "a_"]) func numbersBehindAStemNeverLookAlike(_ stem: String) {
        let keys = Set((0..<2_000).map { key(stem + String($0)) })
        #expect(keys.count == 2_000)
    }

    @Test func keyOfSeparatorsOnlyIsEmpty() {
        #expect(key("___") == "")
    }

    /// PyPI's rule folds l, i and 1, folds o and 0, and drops separators.
    @Test func namesEqualUnderTheRuleOfPyPIHaveEqualKeys() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<20_000 {
            let name = (0..<Int.random(in: 3...12, using: &random)).map { _ in
                "abcdefghijklmnopqrstuvwxyz0123456789_".randomElement(using: &random) ?? "a"
            }
            let disguise = name.flatMap { character -> [Character] in
                switch character {
                case "l", "i", "1": return [["l", "i", "1"].randomElement(using: &random) ?? "l"]
                case "o", "0": return [["o", "0"].randomElement(using: &random) ?? "o"]
                case "_": return Bool.random(using: &random) ? ["_"] : []
                default: return [character]
                }
            }
            if hasThreeOfAClass(name) { continue }
            #expect(key(String(name)) == key(String(disguise)))
        }
    }

    /// Mastodon's rule reads these digits as letters.
    @Test func namesEqualUnderTheRuleOfMastodonHaveEqualKeys() {
        let letters: [Character: Character] = [
            "1": "i", "2": "z", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "9": "g", "0": "o",
        ]
        var random = SeededGenerator(seed: 8)
        for _ in 0..<20_000 {
            let name = (0..<Int.random(in: 3...15, using: &random)).map { _ in
                "abcdefghijklmnopqrstuvwxyz0123456789_".randomElement(using: &random) ?? "a"
            }
            if hasThreeOfAClass(name) { continue }
            #expect(key(String(name)) == key(String(name.map { letters[$0] ?? $0 })))
        }
    }
}
