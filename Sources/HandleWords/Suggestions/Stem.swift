import HandleRules

/// The letters and digits that suggestions are built from. They may be of any length and are shortened to the room that
/// is left in a handle.
struct Stem: Sendable {
    /// As many letters as a handle could hold, and their full number.
    private let letters: PackedASCII
    private let count: Int
    /// The same without vowels after the first letter.
    let consonants: PackedASCII
    private let consonantCount: Int

    init(_ bytes: [UInt8]) {
        let withoutVowels = bytes.prefix(1) + bytes.dropFirst().filter { !Self.isVowel($0) }
        (letters, count) = (Self.packed(bytes), bytes.count)
        (consonants, consonantCount) = (Self.packed(withoutVowels), withoutVowels.count)
    }

    var isEmpty: Bool { count == 0 }

    var endsInDigit: Bool { letters.last.map(Rules.isDigit) ?? false }

    /// Whether the stem without vowels is a different name and still readable.
    var canBeAbbreviated: Bool {
        consonantCount < count && (Rules.length.lowerBound...PackedASCII.capacity).contains(consonantCount)
    }

    /// The stem in the room that is left beside `taken` characters: whole, else without vowels, else cut.
    func fitted(besides taken: Int) -> PackedASCII {
        let room = Rules.length.upperBound - taken
        if count <= room { return letters }
        return consonantCount <= room ? consonants : letters.slice(from: 0, length: room)
    }

    private static func packed(_ bytes: some Sequence<UInt8>) -> PackedASCII {
        // These are letters and digits, so the value is never nil.
        PackedASCII(bytes.prefix(PackedASCII.capacity)) ?? PackedASCII()
    }

    private static func isVowel(_ byte: UInt8) -> Bool {
        switch byte | 0x20 {
        case UInt8(ascii: "a"), UInt8(ascii: "e"), UInt8(ascii: "i"), UInt8(ascii: "o"), UInt8(ascii: "u"): true
        default: false
        }
    }
}
