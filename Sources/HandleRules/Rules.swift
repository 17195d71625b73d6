/// The rules of a well-formed handle:
///
/// 1. It has 3 to 15 characters.
/// 2. Each is a lowercase letter `a`–`z`, a digit `0`–`9` or an underscore `_`.
/// 3. The first is not an underscore.
/// 4. They are not all digits.
///
/// Typed text is normalised first (see ``Reading``), and capitals are folded. Reserved words are policy, not form: see
/// ``ReservedWord``.
public enum Rules {
    /// The allowed number of characters.
    public static let length = 3...15

    @inlinable package static var underscore: UInt8 { UInt8(ascii: "_") }

    @inlinable package static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    @inlinable package static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

    /// Whether a display handle may contain the byte: a letter of either case, a digit or an underscore.
    @inlinable package static func isAllowed(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || byte == underscore
    }

    /// Whether lowercase `letters` keep all four rules.
    static func areKept(by letters: PackedASCII) -> Bool {
        guard length.contains(letters.count), letters[0] != underscore else { return false }
        let classes = letters.classes
        return classes.areAllAllowed && classes.hasOtherThanDigits
    }
}
