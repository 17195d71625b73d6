import HandleRules

/// The end of a name: up to four digits, and the underscores around them. It is found without a branch, in the last eight
/// bytes; if `length` is above ``longest``, it may be longer.
struct NameTail {
    /// The number of its bytes.
    let length: Int
    let digits: Int
    /// The underscores behind the digits.
    let underscores: Int

    /// The longest tail with three letters in front of it in the last eight bytes.
    static let longest = 5

    @inline(__always)
    init(of name: PackedASCII) {
        let bytes = name.lastEight
        let underscores = PackedASCII.zeroBytes(bytes ^ PackedASCII.ones &* UInt64(Rules.underscore))
        // Digits have the bit 0x20 and not 0x40.
        let digits = bytes &<< 2 & ~(bytes &<< 1) & PackedASCII.highBits
        self.underscores = Self.run(of: underscores)
        self.digits = min(Self.run(of: digits >> UInt64(8 &* self.underscores)), Affixes.mostDigits)
        let number = self.underscores &+ self.digits
        length = number &+ Self.run(of: underscores >> UInt64(8 &* number))
    }

    /// The number of bytes in the lowest places that have their high bit set. No other bits are set.
    @inline(__always)
    private static func run(of highBits: UInt64) -> Int {
        (~highBits & PackedASCII.highBits).trailingZeroBitCount &>> 3
    }
}
