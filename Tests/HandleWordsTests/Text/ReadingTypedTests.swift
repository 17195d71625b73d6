import HandleRules
import Testing

@testable import HandleWords

@Suite struct ReadingTypedTests {
    @Test func reasonDescribesTheInvalidCharacter() throws {
        let reading = Reading(typed: "p\u{430}ypal")
        guard case .invalidCharacter(let character)? = reading.reasons.first else {
            Issue.record("no reason for a Cyrillic letter")
            return
        }
        #expect(character.codepoint == "U+0430")
        #expect(character.name == "CYRILLIC SMALL LETTER A")
        #expect(character.lookalike == "a")
        #expect(character.offset == 1)
    }

    @Test(arguments: [
        ("a\u{0}b", "<control-0000>"), ("ab\u{200B}c", "ZERO WIDTH SPACE"), ("abc\u{202E}", "RIGHT-TO-LEFT OVERRIDE"),
        ("a-bc", "HYPHEN-MINUS"), ("a bc", "SPACE"), ("abc\u{1F600}", "GRINNING FACE"),
    ])
    func reasonHasTheUnicodeNameOfTheCharacter(_ input: String, _ name: String) {
        let names = Reading(typed: input).reasons.compactMap { reason -> String? in
            guard case .invalidCharacter(let character) = reason else { return nil }
            return character.name
        }
        #expect(names.count == 1)
        // A control character has no name; ICU gives an alias (NULL) or a label.
        #expect(names == [name] || (name.hasPrefix("<") && names == ["NULL"]))
    }
}
