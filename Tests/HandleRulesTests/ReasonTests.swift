import Testing

@testable import HandleRules

@Suite struct ReasonTests {
    @Test func reasonCodesAreThoseOfTheContract() {
        #expect(
            Reason.Code.allCases.map(\.rawValue) == [
                "too_short", "too_long", "invalid_character", "leading_underscore", "all_digits", "reserved_word",
                "lookalike", "taken", "owner_full", "too_many_changes", "owner_locked",
            ])
    }

    @Test(arguments: [
        (1_703_980_799, "2023-12-31 00:00"), (951_782_401, "2000-02-29 00:01"), (0, "1970-01-01 00:00"),
        (253_402_300_740, "9999-12-31 23:59"), (1_709_251_199, "2024-03-01 00:00"),
    ])
    func messageNamesTheEndOfALockInUTC(_ seconds: Int64, _ text: String) {
        #expect(Reason.ownerLocked(until: seconds).message.contains(" until \(text) UTC "))
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
