import HandleRules
import Testing

@testable import HandleWords

/// The name that repairs and suggestions find in a typed text.
@Suite struct TypedSuggestionTests {
    private let words = ReservedWords([])

    private func source(_ typed: String) -> SuggestionSource { SuggestionSource(typed: typed, words: words) }

    @Test(arguments: [
        ("jane@example.org", "jane"), ("jane.roe+news@example.org", "jane_roe"), ("@jane@mastodon.example", "jane"),
        ("acct:jane@host", "jane"), ("mailto:jane@example.org?subject=x", "jane"), ("jane＠example.org", "jane"),
        ("jane%40example.org", "jane"), ("jane&#64;example.org", "jane"), ("jane @ example.org", "jane"),
        ("Jane Roe <jr@example.org>", "Jane_Roe"), ("<jane@example.org>", "jane"), ("@@jane", "jane"),
        ("CORP\\jane@example.org", "jane"), ("jane@example.org, roe@example.org", "jane"),
    ])
    func nameInAnAddressIsTheUser(_ typed: String, _ repair: String) {
        #expect(source(typed).cleaned.first?.description == repair)
        #expect(!offers(typed).contains { $0.contains("example") || $0.contains("mastodon") || $0.contains("host") })
    }

    @Test(arguments: [
        ("https://example.com/@jane", "jane"), ("example.com/u/jane/", "jane"), ("example.com:8080/jane", "jane"),
        ("https://x.com/jane?lang=de#top", "jane"), ("HTTPS://EXAMPLE.COM/jane", "jane"), ("file:///jane", "jane"),
        ("https://example.com/J%C3%BCrgen", "Jurgen"), ("https://example.com", "example"), ("example.com/", "example"),
        ("https://www.example.co.uk/?x=y", "example"), ("ftp://jane:secret@example.com", "jane"),
        ("https://example.com/jane@example.org", "jane"), ("see https://example.com/jane", "jane"),
        // These are no URLs.
        ("jurgen.muller", "jurgen_muller"), ("j.r/x", "j_r_x"), ("jane/ben", "jane_ben"), ("a.b.", "a_b"),
        ("Jane:Roe", "Jane_Roe"),
    ])
    func nameInAURLIsTheLastPartOfItsPath(_ typed: String, _ repair: String) {
        #expect(source(typed).cleaned.first?.description == repair)
    }

    @Test(arguments: [("CORP\\jane", "jane"), ("CORP\\\\jane", "jane"), ("jane\\", "jane"), ("O\\'Neill", "O_Neill")])
    func nameInAWindowsDomainIsTheAccount(_ typed: String, _ repair: String) {
        #expect(source(typed).cleaned.first?.description == repair)
    }

    @Test(arguments: [
        "+49 170 1234567", "(030) 123-4567", "+491701234567", "030/123 45 67", "555‑1234", "tel:+49-170-1234567",
        "https://chat.example/+491701234567", "+491701234567@chat.example", "\u{202A}+49 170 1234567\u{202C}",
        "+٤٩ ١٧٠ ١٢٣٤٥٦٧", "", " ", "\u{200B}\u{FEFF}", "...", "@", "\\", "😀", "<@example.org", "®",
    ])
    func textWithoutANameHasNoRepairAndUnrelatedSuggestions(_ typed: String) {
        #expect(source(typed).cleaned.isEmpty)
        #expect(source(typed).candidates(limit: 64, seed: 1).allSatisfy { $0.method == .fresh })
        #expect(source(typed).fartherCandidates(limit: 64, seed: 1).allSatisfy { $0.method == .fresh })
    }

    @Test(arguments: [
        ("Nestlé®", "Nestle"), ("Coca™Cola", "CocaCola"), ("an\u{200B}na", "anna"), ("O´Neill", "ONeill"),
        ("MÃ¼ller", "Muller"), ("O&#39;Neill", "ONeill"), ("jane%20roe", "jane_roe"), ("𝓐𝓷𝓷𝓪 Ⓡⓞⓔ", "Anna_Roe"),
        ("the north face jackets", "the_north_face"), ("abcdefghijklmn opq", "abcdefghijklmn"),
        ("Jane_Roe_of_Long_Name", "Jane_Roe_of_Lon"),
    ])
    func repairHasTheLettersOfTheText(_ typed: String, _ repair: String) {
        #expect(source(typed).cleaned.first?.description == repair)
    }

    @Test func suggestionsMayLookLikeTheNameInAMalformedText() {
        #expect(offers("jane_roe@example.org").contains("jane_roe"))
        #expect(!offers("jane_roe").contains { $0 == "jane_roe" || $0 == "janeroe" })
    }

    @Test func reservedWordInAnAddressIsNotSuggested() {
        let words = ReservedWords([ReservedWord(word: "admin", category: "roles", match: .affix)])
        for typed in ["admin@example.org", "https://example.com/admin", "CORP\\admin", "&#97;dmin"] {
            let source = SuggestionSource(typed: typed, words: words)
            #expect(source.cleaned.isEmpty)
            #expect(source.candidates(limit: 64, seed: 1).allSatisfy { $0.method == .fresh })
        }
    }

    private func offers(_ typed: String) -> [String] {
        (source(typed).candidates(limit: 64, seed: 1) + source(typed).fartherCandidates(limit: 64, seed: 1))
            .map(\.handle.description)
    }
}
