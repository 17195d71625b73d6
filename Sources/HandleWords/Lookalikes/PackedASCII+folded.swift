package import HandleRules

/// The folded form of each ASCII byte from `0` to `z`: the first byte of its look-alike class, in lowercase.
///
/// The classes are `il1`, `o0`, `s5`, `b8`, `z2`, `a4`, `e3`, `g9q` and `t7`. They are classes and not a mapping of
/// digits, because a digit can look like two letters (`1` like i and l).
private let foldedTo: StaticString = "oizeas6tbg:;<=>?@abcdefghijkimnopgrstuvwxyz[\\]^_`abcdefghijkimnopgrstuvwxyz"

extension PackedASCII {
    /// The name with each letter or digit replaced by the first of its look-alike class, in lowercase. Other bytes
    /// stay.
    package var folded: PackedASCII {
        Self.forms.withUnsafeBufferPointer { forms in
            // The lowest byte is the count.
            PackedASCII(high: Self.fold(high, forms), low: Self.fold(low & ~0xFF, forms) | low & 0xFF)
        }
    }

    /// Folds eight bytes, of which none waits for another.
    @inline(__always)
    private static func fold(_ word: UInt64, _ forms: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var folded: UInt64 = 0
        for place in 0..<UInt64(8) {
            folded |= UInt64(forms[Int(truncatingIfNeeded: word &>> (8 &* place) & 0x7F)]) &<< (8 &* place)
        }
        return folded
    }

    /// The folded form of each ASCII byte.
    private static let forms = (0..<UInt8(0x80)).map(fold)

    @inline(__always)
    static func fold(_ byte: UInt8) -> UInt8 {
        let index = byte &- UInt8(ascii: "0")
        return index < foldedTo.utf8CodeUnitCount ? foldedTo.utf8Start[Int(index)] : byte
    }
}
