import HandleRules

/// A Bloom filter of four letters in a row: two bits of one word for each four. Its 8 KiB stay in the processor's L1 cache.
struct GramFilter: Sendable {
    private var words = [UInt64](repeating: 0, count: size)

    private static let size = 1 << 10

    mutating func insert(_ gram: UInt32) {
        let hash = Self.hash(gram)
        words[Int(hash &>> 22)] |= 1 &<< UInt64(hash &>> 16) | 1 &<< UInt64(hash &>> 10)
    }

    /// False for nearly all letters that were not inserted.
    @inline(__always)
    func mayContain(_ gram: UInt32) -> Bool { words.withUnsafeBufferPointer { Self.bit(gram, $0) & 1 != 0 } }

    /// Whether the filter may contain the letters at any even index of a name.
    @inline(__always)
    func mayContain(everySecond folded: PackedASCII) -> Bool {
        let (high, low) = folded.words
        let (middle, last) = (high &<< 32 | low &>> 32, low & ~0xFF)
        return words.withUnsafeBufferPointer { words in
            var bits = Self.bit(UInt32(truncatingIfNeeded: high &>> 32), words)
            bits |= Self.bit(UInt32(truncatingIfNeeded: high &>> 16), words)
            bits |= Self.bit(UInt32(truncatingIfNeeded: middle &>> 32), words)
            bits |= Self.bit(UInt32(truncatingIfNeeded: middle &>> 16), words)
            bits |= Self.bit(UInt32(truncatingIfNeeded: last &>> 32), words)
            // Three letters from index 10 on, or two of a word that begins at 9.
            if folded.count > 11 {
                bits |= Self.bit(UInt32(truncatingIfNeeded: last &>> 16), words)
                bits |= Self.bit(UInt32(truncatingIfNeeded: last), words)
            }
            return bits & 1 != 0
        }
    }

    @inline(__always)
    private static func bit(_ gram: UInt32, _ words: UnsafeBufferPointer<UInt64>) -> UInt64 {
        let hash = hash(gram)
        let word = words[Int(hash &>> 22)]
        return word &>> UInt64(hash &>> 16) & word &>> UInt64(hash &>> 10)
    }

    /// A product with an odd constant (that of Fibonacci hashing); its high bits are the best.
    @inline(__always)
    private static func hash(_ gram: UInt32) -> UInt32 { gram &* 0x9E37_79B1 }
}
