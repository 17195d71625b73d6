/// Words by four of their letters in a row, folded.
struct GramTable: Sendable {
    struct Entry: Sendable {
        /// The index of the word.
        let word: Int
        /// The index of the first of the four letters.
        let offset: Int
    }

    private var entries: [UInt32: [Entry]] = [:]
    /// A Bloom filter: two bits of one word for each entry. Nearly all letters are found to have no entry without the
    /// dictionary. Its 8 KiB stay in the processor's L1 cache.
    private var filter = [UInt64](repeating: 0, count: filterSize)

    private static let filterSize = 1 << 10

    /// Adds a word by its letters from `offset` on. If there are fewer than four, any may follow.
    mutating func add(_ word: PackedASCII, from offset: Int, word index: Int) {
        var grams: [UInt32] = [0]
        for place in offset..<offset + 4 {
            let letters = Self.foldedForms(of: place < word.count ? word[place] : nil)
            grams = grams.flatMap { gram in letters.map { gram << 8 | UInt32($0) } }
        }
        for gram in grams {
            entries[gram, default: []].append(Entry(word: index, offset: offset))
            let hash = Self.hash(gram)
            filter[Int(hash &>> 22)] |= 1 &<< UInt64(hash &>> 16) | 1 &<< UInt64(hash &>> 10)
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

    /// The words with these four letters.
    subscript(gram: UInt32) -> [Entry] { mayHave(gram) ? entries[gram] ?? [] : [] }

    /// False for nearly all letters without an entry.
    @inline(__always)
    func mayHave(_ gram: UInt32) -> Bool { filter.withUnsafeBufferPointer { Self.bit(gram, $0) & 1 != 0 } }

    /// Whether there may be an entry for the letters at any even index of a name.
    @inline(__always)
    func mayHave(everySecond folded: PackedASCII) -> Bool {
        let (high, low) = folded.words
        let (middle, last) = (high &<< 32 | low &>> 32, low & ~0xFF)
        return filter.withUnsafeBufferPointer { filter in
            var bits = Self.bit(UInt32(truncatingIfNeeded: high &>> 32), filter)
            bits |= Self.bit(UInt32(truncatingIfNeeded: high &>> 16), filter)
            bits |= Self.bit(UInt32(truncatingIfNeeded: middle &>> 32), filter)
            bits |= Self.bit(UInt32(truncatingIfNeeded: middle &>> 16), filter)
            bits |= Self.bit(UInt32(truncatingIfNeeded: last &>> 32), filter)
            // Three letters from index 10 on, or two of a word that begins at 9.
            if folded.count > 11 {
                bits |= Self.bit(UInt32(truncatingIfNeeded: last &>> 16), filter)
                bits |= Self.bit(UInt32(truncatingIfNeeded: last), filter)
            }
            return bits & 1 != 0
        }
    }

    @inline(__always)
    private static func bit(_ gram: UInt32, _ filter: UnsafeBufferPointer<UInt64>) -> UInt64 {
        let hash = hash(gram)
        let word = filter[Int(hash &>> 22)]
        return word &>> UInt64(hash &>> 16) & word &>> UInt64(hash &>> 10)
    }

    /// A product with an odd constant (that of Fibonacci hashing); its high bits are the best.
    @inline(__always)
    private static func hash(_ gram: UInt32) -> UInt32 { gram &* 0x9E37_79B1 }
}

extension PackedASCII {
    /// The first four bytes, as ``gram(at:)`` returns them.
    @inline(__always)
    var firstGram: UInt32 { UInt32(truncatingIfNeeded: words.high &>> 32) }

    /// Four bytes from an index on; zeros past the end.
    @inline(__always)
    func gram(at index: Int) -> UInt32 {
        slice(from: index, length: 4).firstGram
    }
}
