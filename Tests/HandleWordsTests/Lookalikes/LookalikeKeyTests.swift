import TestSupport
import Testing

@testable import HandleRules
@testable import HandleWords

private func key(_ text: String) -> String {
    LookalikeKey(PackedASCII(text.utf8) ?? PackedASCII()).description
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
}
