import HandleRules
import HandleWords
import Seeds

/// Makes names like those of people, impersonators and broken files; the same names in every run.
struct NameMaker {
    private var random: SeededGenerator
    private let words: [[UInt8]]

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        words = try ReservedWord.list(parsing: Seeds.reservedWords).map { Array($0.word.description.utf8) }
    }

    /// Any kind of name, without line ends.
    mutating func next() -> [UInt8] {
        switch Int.random(in: 0..<16, using: &random) {
        case 0, 1, 2: letters(count: 3...15)
        case 3, 4: spoiltWord()
        case 5: affixedWord()
        case 6: letters(count: 0...40)
        case 7: [UInt8](repeating: under, count: Int.random(in: 1...3, using: &random)) + letters(count: 0...13)
        case 8: from(digits, count: 0...17)
        case 9: around(spoiltWord())
        case 10: around(letters(count: 3...15))
        case 11: from(Array(0x01...0x09) + Array(0x0B...0x7F), count: 0...20)
        case 12: from(foreign, count: 1...8)
        case 13: wide(Bool.random(using: &random) ? spoiltWord() : letters(count: 1...17))
        case 14: letters(count: 1...6) + one(of: foreign) + letters(count: 1...6)
        default: letters(count: 0...6) + broken() + letters(count: 0...6)
        }
    }

    /// Letters, digits and underscores in both cases, most of them lowercase.
    mutating func letters(count: ClosedRange<Int>) -> [UInt8] {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzAEIOLM0123_".utf8)
        return (0..<Int.random(in: count, using: &random)).map { _ in one(of: alphabet) }
    }

    /// A reserved word with some letters doubled, capitalised, replaced by a look-alike, or followed by an underscore.
    private mutating func spoiltWord() -> [UInt8] {
        let disguises: [UInt8: String] = [
            0x6C: "1iI", 0x69: "1lL", 0x6F: "0", 0x65: "3", 0x61: "4", 0x73: "5", 0x74: "7", 0x62: "8", 0x67: "9",
        ]
        var spoilt: [UInt8] = []
        for letter in one(of: words) {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: spoilt += [letter, under]
            case 1: spoilt += [letter, letter]
            case 2: spoilt.append(letter & ~0x20 == letter ? letter : upper(letter))
            case 3: spoilt.append(disguises[letter].map { one(of: Array($0.utf8)) } ?? letter)
            default: spoilt.append(letter)
            }
        }
        return spoilt
    }

    private mutating func affixedWord() -> [UInt8] {
        let prefixes = ["real", "the", "official", "team", "my", "x", "1", ""]
        let suffixes = ["team", "help", "99", "2024", "hq", "_", "1", "x", ""]
        let joint = one(of: ["", "_", "__"])
        let isBehind = Bool.random(using: &random)
        let word = Bool.random(using: &random) ? one(of: words) : spoiltWord()
        return isBehind
            ? word + Array((joint + one(of: suffixes)).utf8) : Array((one(of: prefixes) + joint).utf8) + word
    }

    /// White space and `@` around a name, as people paste them.
    private mutating func around(_ name: [UInt8]) -> [UInt8] {
        let blanks = ["", " ", "\t ", "\u{A0}", "\u{3000}", "\u{2028}", "\u{B}", "\u{85}"]
        let marks = ["", "@", "@@", " @ ", "\u{FF20}"]
        let core = Int.random(in: 0..<8, using: &random) == 0 ? [] : name
        return Array(one(of: blanks).utf8) + Array(one(of: marks).utf8) + core + Array(one(of: blanks).utf8)
    }

    private mutating func broken() -> [UInt8] {
        one(of: [
            [0xFF], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0x80], [0xC0, 0xAF], [0xED, 0xA0, 0x80],
            [0xF4, 0x90, 0x80, 0x80],
        ])
    }

    private mutating func from(_ alphabet: [UInt8], count: ClosedRange<Int>) -> [UInt8] {
        (0..<Int.random(in: count, using: &random)).map { _ in one(of: alphabet) }
    }

    private mutating func from(_ alphabet: [[UInt8]], count: ClosedRange<Int>) -> [UInt8] {
        (0..<Int.random(in: count, using: &random)).flatMap { _ in one(of: alphabet) }
    }

    /// The full-width forms of the ASCII characters, as Japanese keyboards make them.
    private func wide(_ name: [UInt8]) -> [UInt8] {
        name.flatMap { Array(String(Unicode.Scalar(0xFEE0 + UInt32($0)) ?? "?").utf8) }
    }

    private func upper(_ letter: UInt8) -> UInt8 {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter) ? letter & ~0x20 : letter
    }

    mutating func one<Element>(of elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    private let under = UInt8(ascii: "_")
    private let digits = Array("0123456789".utf8)
    /// Accented, decomposed, Cyrillic, Greek, Arabic digits, CJK, emoji, and invisible characters.
    private let foreign = [
        "é", "e\u{301}", "ü", "ß", "İ", "ı", "а", "о", "р", "Ж", "α", "ο", "١", "日", "本", "한", "😀", "👩‍👩‍👧", "🏳️‍🌈",
        "\u{200B}", "\u{200D}", "\u{202E}", "\u{FEFF}", "ﬁ", "Ⅳ", "𝒶", "ａ", "ǅ", "\u{E000}", "\u{301}",
    ].map { Array($0.utf8) }
}
