import Testing

@testable import HandleRules

/// The codes of the reasons for `input`.
private func codes(_ input: String) -> [Reason.Code] {
    reading(input).reasons.map(\.code)
}

/// Reads ASCII on the fast and on the slow path, which must agree.
private func reading(_ input: String) -> Reading {
    var copy = input
    let fast = copy.withUTF8 { Reading(ascii: $0) }
    let slow = Reading(normalised: Array(input.unicodeScalars))
    if let fast, !input.hasPrefix("@"), !input.contains(where: \.isWhitespace) { #expect(fast == slow) }
    return fast ?? slow
}

@Suite struct ReadingTests {
    @Test(arguments: [
        "abc", "johndoe", "JohnDoe", "a_b", "ab_", "123a", "a12", "1_2", "abcdefghijklmno", "x__", "ABC",
    ])
    func namesThatKeepEveryRuleAreAccepted(_ name: String) throws {
        let reading = reading(name)
        #expect(reading.reasons.isEmpty)
        #expect(reading.display?.description == name)
        #expect(reading.handle?.description == name.lowercased())
        #expect(Handle(name.lowercased()) == reading.handle)
    }

    @Test(
        arguments: [
            ("", [.tooShort]), ("ab", [.tooShort]), ("abcdefghijklmnop", [.tooLong]),
            ("_abc", [.leadingUnderscore]), ("123", [.allDigits]), ("12", [.tooShort, .allDigits]),
            ("_", [.tooShort, .leadingUnderscore]), ("___", [.leadingUnderscore]), ("a.b", [.invalidCharacter]),
            ("1234567890123456", [.tooLong, .allDigits]), ("_bcdefghijklmnop", [.tooLong, .leadingUnderscore]),
            ("_a-b", [.invalidCharacter, .leadingUnderscore]), ("-", [.tooShort, .invalidCharacter]),
            ("1.2", [.invalidCharacter]), ("a-b-c", [.invalidCharacter]),
            ("a-b.c", [.invalidCharacter, .invalidCharacter]),
        ] as [(String, [Reason.Code])])
    func brokenRulesAreAllReportedInOrder(_ name: String, _ expected: [Reason.Code]) {
        #expect(codes(name) == expected)
        #expect(reading(name).handle == nil)
        #expect(Handle(name) == nil)
    }

    @Test func reasonsHaveTheLengthOrTheOffset() {
        #expect(reading("ab").reasons == [.tooShort(length: 2)])
        #expect(reading(String(repeating: "a", count: 10_000)).reasons == [.tooLong(length: 10_000)])
        #expect(
            reading("ab.c-.").reasons == [
                .invalidCharacter(.init(scalar: ".", offset: 2)), .invalidCharacter(.init(scalar: "-", offset: 4)),
            ])
    }

    @Test(arguments: ["  JohnDoe\n", "@JohnDoe", "\t@JohnDoe ", "\r\nJohnDoe"])
    func surroundingWhiteSpaceAndOneLeadingAtAreDropped(_ input: String) {
        var input = input
        #expect(input.withUTF8 { Reading(ascii: $0) }?.display?.description == "JohnDoe")
    }

    @Test func fastPathDeclinesInvalidCharacters() {
        for var input in ["a b", "@@abc", "a.b", "é", "abc\0", "@ abc"] {
            #expect(input.withUTF8 { Reading(ascii: $0) } == nil)
        }
    }

    @Test func malformedNameKeepsItsLettersForReservedWords() {
        #expect(reading("_Admin").letters == "_admin")
        #expect(reading("a-b").letters == nil)
        #expect(reading("abcdefghijklmnop").letters == nil)
    }

    @Test func displayHandleFoldsToItsHandle() {
        var random = SeededGenerator(seed: 1)
        let alphabet = Array("abcXYZ019_".unicodeScalars)
        for _ in 0..<20_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...17, using: &random) {
                text.append(alphabet.randomElement(using: &random) ?? "a")
            }
            let first = reading(String(text))
            guard let display = first.display else { continue }
            #expect(display.handle.description == display.description.lowercased())
            #expect(display.letters.count == display.handle.letters.count)
            // Reading a canonical handle changes nothing.
            #expect(reading(display.handle.description).handle == display.handle)
        }
    }
}
