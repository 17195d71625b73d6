import HandleRules
import Testing

@Suite struct OwnerTests {
    static let unseen: [Unicode.Scalar] = [
        " ", "\t", "\u{A0}", "\u{AD}", "\u{85}", "\u{34F}", "\u{1680}", "\u{180E}", "\u{200B}", "\u{200D}", "\u{200E}",
        "\u{202F}", "\u{2028}", "\u{2060}", "\u{3000}", "\u{3164}", "\u{FE0F}", "\u{FEFF}", "\u{FFA0}", "\u{E0001}",
    ]

    /// Such an id would be displayed like that of another owner.
    @Test(arguments: unseen) func ownerIDWithAnUnseenCharacterAtAnEndIsInvalid(_ scalar: Unicode.Scalar) {
        for id in ["\(scalar)42", "42\(scalar)", "\(scalar)"] { #expect(Owner(id) == nil) }
        #expect("\(scalar)\(scalar)4 2\(scalar)".trimmingUnseen == "4 2")
    }

    @Test(arguments: ["42", "4 2", "a\u{200D}b", "日本", "é", "e\u{301}", "😀", "\u{5D0}", "|"])
    func ownerIDWithOtherCharactersIsValid(_ id: String) {
        #expect(Owner(id)?.id == id && id.trimmingUnseen == id)
    }

    @Test func textWithoutVisibleCharactersIsTrimmedToNothing() {
        #expect(" \u{FEFF}\t".trimmingUnseen.isEmpty && "".trimmingUnseen.isEmpty)
    }
}
