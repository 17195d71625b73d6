import HandleRules

/// Words by four of their letters in a row, folded.
struct GramTable: Sendable {
    struct Entry: Sendable {
        /// The index of the word.
        let word: Int
        /// The index of the first of the four letters.
        let offset: Int
    }

    /// A word, and the place from which on it is entered.
    struct Source {
        let letters: PackedASCII
        /// If fewer than four letters are left from here on, any may follow.
        let offset: Int
        /// The index of the word.
        let word: Int
    }

    /// Nearly all letters are found to have no entry without the lists.
    let filter: GramFilter
    /// The entries of each four letters, in the order of the words.
    private let entries: PackedLists<Entry>

    init(_ sources: [Source]) {
        var (filter, entries) = (GramFilter(), [PackedASCII: [Entry]]())
        for source in sources {
            let entry = Entry(word: source.word, offset: source.offset)
            for gram in Self.grams(of: source) {
                filter.insert(gram)
                entries[PackedASCII(gram: gram), default: []].append(entry)
            }
        }
        (self.filter, self.entries) = (filter, PackedLists(entries))
    }

    /// The four letters that a name may have in the place of those of a word.
    private static func grams(of source: Source) -> [UInt32] {
        (source.offset..<source.offset + 4).reduce([0]) { grams, place in
            let letters = foldedForms(of: place < source.letters.count ? source.letters[place] : nil)
            return grams.flatMap { gram in letters.map { gram << 8 | UInt32($0) } }
        }
    }

    /// The place of the four letters of a word that are the rarest in names, of every second place from `first` on.
    static func rarestOffset(in word: PackedASCII, from first: Int) -> Int {
        let offsets = Array(stride(from: first, through: max(first, word.count - 4), by: 2))
        return offsets.max { rarity(of: word, from: $0) < rarity(of: word, from: $1) } ?? first
    }

    private static func rarity(of word: PackedASCII, from offset: Int) -> Int {
        (offset..<offset + 4).reduce(0) { $0 + (letters.firstIndex(of: PackedASCII.fold(word[$1])) ?? 0) }
    }

    /// The folded letters, roughly those first that most names have.
    private static let letters = Array("aeinorstdhmucgkbpyzvfwjx".utf8)

    /// The bytes that a letter may be after folding; those of any letter, of none, and of an underscore for nil.
    private static func foldedForms(of letter: UInt8?) -> Set<UInt8> {
        guard let letter else {
            return Set((UInt8(ascii: "0")...UInt8(ascii: "z")).filter(Rules.isAllowed).map(PackedASCII.fold) + [0])
        }
        // 6 stands for itself in look-alike keys.
        return letter == UInt8(ascii: "g") ? [letter, UInt8(ascii: "6")] : [PackedASCII.fold(letter)]
    }

    /// Visits the entries of four letters, as ``PackedLists/visit(_:until:)`` does.
    @inline(__always)
    func visit(_ gram: UInt32, until isLast: (Entry) -> Bool) -> Entry? {
        filter.mayContain(gram) ? entries.visit(PackedASCII(gram: gram), until: isLast) : nil
    }
}

extension PackedASCII {
    @inline(__always)
    fileprivate init(gram: UInt32) { self.init(high: UInt64(gram) &<< 32, low: 4) }

    /// The first four bytes, as ``gram(at:)`` returns them.
    @inline(__always)
    var firstGram: UInt32 { UInt32(truncatingIfNeeded: words.high &>> 32) }

    /// Four bytes from an index on; zeros past the end.
    @inline(__always)
    func gram(at index: Int) -> UInt32 {
        let (high, low) = (words.high, words.low & ~0xFF)
        let shift = UInt64(8 * index)
        // Swift's `<<` and `>>` give zero for shifts of 64 and more, as needed here.
        let word = index < 8 ? high << shift | low >> (64 - shift) : low << (shift - 64)
        return UInt32(truncatingIfNeeded: word &>> 32)
    }
}
