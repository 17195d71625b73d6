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

    /// Sets the high bit of the first byte that is below 0x20, `"` or `\`. Higher marks are meaningless.
    @inline(__always)
    static func firstSpecialInJSON(_ word: UInt64) -> UInt64 {
        let control = (word &- ones &* 0x20) & ~word
        return firstEqual(word, pattern(quote)) | firstEqual(word, pattern(UInt8(ascii: "\\"))) | (control & highs)
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

    /// The number of line ends in `start..<end`: LF and CRLF, and a lone CR if `returns` is true.
    func lineEnds(from start: Int, to end: Int, returns: Bool) -> Int {
        let lone = returns ? Self.carriageReturn : Self.lineFeed
        var total = 0
        var index = start
        while index < end {
            // So few that the compiler can count them in bytes, many at a time.
            let (part, length) = (base + index, min(end - index, 255))
            var count: UInt8 = 0
            for place in 0..<length {
                let isEnd: UInt8 = part[place] == Self.lineFeed ? 1 : 0
                let isLone: UInt8 = part[place] == lone ? 1 : 0
                let isFollowed: UInt8 = part[place &+ 1] == Self.lineFeed ? 1 : 0
                count &+= isEnd | isLone & ~isFollowed
            }
            total += Int(count)
            index += length
        }
        return total
    }
}
