import Testing

@testable import HandleWords

@Suite struct TransliterationTests {
    @Test(arguments: [
        ("José Núñez", ["Jose", "Nunez"]), ("Ольга Петрова", ["Olga", "Petrova"]),
        ("Müller-Lüdenscheidt", ["Muller", "Ludenscheidt"]), ("O'Neill", ["ONeill"]), ("", []), ("!!!", []),
        ("Łukasz Żółć", ["Lukasz", "Zolc"]), ("Ελένη", ["Elene"]),
        ("𝓐𝓷𝓷𝓪 Ⓡⓞⓔ", ["Anna", "Roe"]),
    ])
    func namesBecomeASCIIWords(_ name: String, _ words: [String]) {
        #expect(Transliteration.words(of: name).map { String(decoding: $0, as: UTF8.self) } == words)
    }

    @Test func chineseKoreanAndArabicNamesBecomeWords() {
        #expect(!Transliteration.words(of: "山田太郎").isEmpty)
        #expect(!Transliteration.words(of: "김민수").isEmpty)
        #expect(!Transliteration.words(of: "محمد").isEmpty)
    }

    @Test func transliterationReadsNoMoreThanItsLimit() {
        let ascii = Transliteration.ascii(String(repeating: "ß", count: 100_000))
        #expect(ascii.count <= Transliteration.longestText * 8 + 16)
    }

    @Test func transliterationWorksInManyTasksAtOnce() async {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 {
                group.addTask { Transliteration.words(of: "Ольга") == [Array("Olga".utf8)] }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
