#if IdentityTokens
/// Base64url without padding (RFC 4648, 5; RFC 7515, 2), decoded strictly: each sequence of bytes has exactly one text,
/// so no two texts are the same token.
enum Base64URL {
    /// The bytes, or nil when a character is not in the alphabet or leftover bits are not zero.
    static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var bits: UInt32 = 0
        var count = 0
        for character in text {
            guard let value = value(of: character) else { return nil }
            bits = bits << 6 | value
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(bits >> UInt32(count)))
            bits &= (1 << UInt32(count)) - 1
        }
        // Six leftover bits are not a byte; two or four must be zero.
        return count < 6 && bits == 0 ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a") + 26)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0") + 52)
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
#endif
