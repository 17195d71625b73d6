/// Searches bytes eight at a time: one word is compared with a pattern that has the byte in every place.
///
/// Loads read past the position examined, so ``Chunk/padding`` bytes must follow the last one.
struct ByteSearch {
    let base: UnsafePointer<UInt8>

    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let quote = UInt8(ascii: "\"")

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    @inline(__always)
    init(_ base: UnsafePointer<UInt8>) {
        self.base = base
    }

    @inline(__always)
    subscript(index: Int) -> UInt8 { base[index] }

    /// Eight bytes, the first in the lowest place.
    @inline(__always)
    func word(at index: Int) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self))
    }

    /// A word with the byte in each of its eight places.
    @inline(__always)
    static func pattern(_ byte: UInt8) -> UInt64 { ones &* UInt64(byte) }

    /// Sets the high bit of the first byte that equals `pattern`. Higher marks are meaningless.
    @inline(__always)
    static func firstEqual(_ word: UInt64, _ pattern: UInt64) -> UInt64 {
        let difference = word ^ pattern
        return (difference &- ones) & ~difference & highs
    }

    /// Sets the high bit of the first byte that is below 0x20, `"`, `\` or above 0x7F. Higher marks are meaningless.
    @inline(__always)
    static func firstSpecialInJSON(_ word: UInt64) -> UInt64 {
        let control = (word &- ones &* 0x20) & ~word
        return firstEqual(word, pattern(quote)) | firstEqual(word, pattern(UInt8(ascii: "\\"))) | (control | word)
            & highs
    }

    /// The position of the first `byte` in `start..<end`, or `end`.
    @inline(__always)
    func first(_ byte: UInt8, from start: Int, to end: Int) -> Int {
        let pattern = Self.pattern(byte)
        return first(from: start, to: end) { Self.firstEqual($0, pattern) }
    }

    /// The position of the first byte in `start..<end` that `marks` marks in its word, or `end`.
    @inline(__always)
    func first(from start: Int, to end: Int, _ marks: (UInt64) -> UInt64) -> Int {
        var index = start
        while index < end {
            let found = marks(word(at: index))
            if found != 0 { return min(index + found.trailingZeroBitCount / 8, end) }
            index += 8
        }
        return end
    }

    /// Calls `body` with the position of every `byte` before `end`.
    ///
    /// The marks of 64 bytes are collected first, so that finding the next position waits for no load.
    @inline(__always)
    func forEach(_ byte: UInt8, to end: Int, _ body: (Int) -> Void) {
        let pattern = Self.pattern(byte)
        var block = 0
        while block < end {
            var marks: UInt64 = 0
            if block + 64 <= end {
                for place in 0..<8 {
                    marks |= Self.gather(Self.allEqual(word(at: block + 8 * place), pattern)) << UInt64(8 * place)
                }
            } else {
                for place in 0..<(end - block + 7) / 8 {
                    marks |= Self.gather(Self.allEqual(word(at: block + 8 * place), pattern)) << UInt64(8 * place)
                }
                marks &= UInt64.max >> UInt64(64 - (end - block))
            }
            while marks != 0 {
                body(block + marks.trailingZeroBitCount)
                marks &= marks &- 1
            }
            block += 64
        }
    }

    /// The number of line ends in `start..<end`: LF and CRLF, and a lone CR if `returns` is true.
    func lineEnds(from start: Int, to end: Int, returns: Bool) -> Int {
        let lineFeeds = Self.pattern(Self.lineFeed)
        let carriageReturns = Self.pattern(Self.carriageReturn)
        var total = 0
        var index = start
        while index < end {
            // Keeps the count in each of the eight places below 256.
            let stop = min(end, index + 8 * 127)
            var counts: UInt64 = 0
            while index < stop {
                var marks = Self.allEqual(word(at: index), lineFeeds)
                if returns {
                    let followed = Self.allEqual(word(at: index + 1), lineFeeds)
                    marks |= Self.allEqual(word(at: index), carriageReturns) & ~followed
                }
                let past = index + 8 - end
                if past > 0 { marks &= UInt64.max >> UInt64(8 * past) }
                counts &+= marks >> 7
                index += 8
            }
            total += Self.sum(counts)
        }
        return total
    }

    /// Sets the high bit of every byte that equals `pattern`: only a zero byte doesn't carry into its high bit.
    @inline(__always)
    private static func allEqual(_ word: UInt64, _ pattern: UInt64) -> UInt64 {
        let difference = word ^ pattern
        return ~((difference & ~highs) &+ ~highs | difference | ~highs)
    }

    /// Collects the high bits of the eight bytes in the eight lowest bits.
    @inline(__always)
    private static func gather(_ marks: UInt64) -> UInt64 { ((marks >> 7) &* 0x0102_0408_1020_4080) >> 56 }

    /// The sum of the eight bytes of a word.
    private static func sum(_ word: UInt64) -> Int {
        let pairs = (word & 0x00FF_00FF_00FF_00FF) &+ (word >> 8 & 0x00FF_00FF_00FF_00FF)
        return Int((pairs &* 0x0001_0001_0001_0001) >> 48)
    }
}
