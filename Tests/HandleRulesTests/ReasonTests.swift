import Testing

@testable import HandleRules

@Suite struct ReasonTests {
    @Test func reasonCodesAreThoseOfTheContract() {
        #expect(
            Reason.Code.allCases.map(\.rawValue) == [
                "too_short", "too_long", "invalid_character", "leading_underscore", "all_digits", "reserved_word",
                "lookalike", "taken", "owner_full",
            ])
    }

    @Test func messageIsTheSameForEveryTakenState() {
        #expect(Set(Handle.State.allCases.map { Reason.taken($0).message }).count == 1)
    }

    @Test func messageNamesTheInvalidCharacterReadably() {
        func message(_ character: InvalidCharacter) -> String { Reason.invalidCharacter(character).message }
        #expect(
            message(.init(scalar: "\u{430}", offset: 0, name: "CYRILLIC SMALL LETTER A", lookalike: "a"))
                == "U+0430 CYRILLIC SMALL LETTER A looks like 'a' but can't be in a handle; use a–z, 0–9 and _.")
        #expect(message(.init(scalar: ".", offset: 0)) == "'.' can't be in a handle; use a–z, 0–9 and _.")
        #expect(message(.init(scalar: "\u{202E}", offset: 0)).hasPrefix("U+202E"))
        #expect(!message(.init(scalar: "\u{0}", offset: 0)).unicodeScalars.contains("\u{0}"))
    }
}
