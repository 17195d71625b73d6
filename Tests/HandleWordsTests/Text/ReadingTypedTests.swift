import HandleRules
import Testing

@testable import HandleWords

@Suite struct ReadingTypedTests {
    @Test(arguments: [
        ("JohnDoe", "JohnDoe"), ("ｆｏｏ", "foo"), ("ＪｏｈｎＤｏｅ１", "JohnDoe1"), ("\u{3000}abc\u{A0}", "abc"),
        ("@ｆｏｏ", "foo"), ("＿ab", nil), ("\u{212A}elvin", "Kelvin"), ("ｆｏｏ＿ｂａｒ", "foo_bar"),
    ])
    func typedNamesAreWidthFoldedAndComposed(_ input: String, _ display: String?) {
        #expect(Reading(typed: input).display?.description == display)
    }

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

    /// The Turkish capital I with a dot is not read as I, in any locale.
    @Test(arguments: ["İstanbul", "ıstanbul", "ſam", "ﬁsh", "straße", "Å ngstrom", "𝐣𝐨𝐡𝐧", "①②③"])
    func lettersThatOtherFoldingsTurnIntoASCIIAreRefused(_ input: String) {
        #expect(Reading(typed: input).handle == nil)
        #expect(Reading(typed: input).reasons.map(\.code).contains(.invalidCharacter))
    }

    @Test func repeatedCharacterIsReportedOnce() {
        let codes = Reading(typed: "éaéé").reasons.map(\.code)
        #expect(codes == [.invalidCharacter])
    }

    @Test func readingNeverFailsAndIsIdempotent() {
        var random = SeededGenerator(seed: 3)
        let pool: [ClosedRange<UInt32>] = [
            0...0x7F, 0x80...0x24F, 0x300...0x36F, 0x400...0x4FF, 0x2000...0x206F, 0xFF00...0xFFEF, 0x1F600...0x1F64F,
            0xE000...0xE0FF, 0x10FF00...0x10FFFF, 0xAC00...0xAC20, 0x1100...0x11FF,
        ]
        for _ in 0..<20_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...20, using: &random) {
                let range = Bool.random(using: &random) ? 0x30...0x7A : pool.randomElement(using: &random) ?? 0...0x7F
                if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) { text.append(scalar) }
            }
            let reading = Reading(typed: String(text))
            #expect((reading.handle == nil) != reading.reasons.isEmpty)
            if let display = reading.display {
                #expect(Reading(typed: display.description).display == display)
                #expect(Reading(typed: display.handle.description).handle == display.handle)
            }
        }
    }
}
