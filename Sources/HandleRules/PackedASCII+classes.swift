extension PackedASCII {
    /// Whether each byte may be in a display handle (a letter, a digit or an underscore), and whether one is not a
    /// digit.
    ///
    /// Works on eight bytes at a time. All are below 0x80, so a sum never carries into the next byte, and the highest
    /// bit of each byte says whether it reached a bound.
    @inline(__always)
    var classes: (areAllAllowed: Bool, hasOtherThanDigits: Bool) {
        let first = Self.classes(high)
        let second = Self.classes(low & ~0xFF)
        // The places after the last byte are zero, which is in no class.
        let used = (Self.used(first: count), Self.used(first: count - 8))
        return (
            (first.allowed ^ used.0) | (second.allowed ^ used.1) == 0,
            (first.digits ^ used.0) | (second.digits ^ used.1) != 0
        )
    }

    /// Whether one of the bytes is a digit.
    @inlinable @inline(__always)
    package var hasDigit: Bool {
        // Digits have the bit 0x20 and not 0x40. The count has neither.
        (high & ~(high &>> 1) | low & ~(low &>> 1)) & (Self.ones &* 0x20) != 0
    }

    /// Whether one of the bytes is a letter or an underscore.
    @inlinable @inline(__always)
    package var hasLetter: Bool { (high | low) & (Self.ones &* 0x40) != 0 }

    @inline(__always)
    private static func classes(_ word: UInt64) -> (allowed: UInt64, digits: UInt64) {
        let lowered = word | ones &* 0x20
        let letters = reaching(UInt8(ascii: "a"), lowered) & ~reaching(UInt8(ascii: "z") + 1, lowered)
        let digits = reaching(UInt8(ascii: "0"), word) & ~reaching(UInt8(ascii: "9") + 1, word)
        let others = word ^ ones &* UInt64(Rules.underscore)
        return ((letters | digits | ~reaching(1, others)) & highBits, digits & highBits)
    }

    /// Sets the highest bit of each byte that is `bound` or more.
    @inline(__always)
    private static func reaching(_ bound: UInt8, _ word: UInt64) -> UInt64 { word &+ ones &* UInt64(0x80 - bound) }

    /// The highest bits of the first `count` of eight bytes; `count` may be negative or above eight.
    @inline(__always)
    private static func used(first count: Int) -> UInt64 {
        highBits & ~(UInt64.max >> UInt64(8 * min(max(count, 0), 8)))
    }
}
