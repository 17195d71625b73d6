/// What the bytes from `0` to `z` in the ASCII table fold to: each to the first of its look-alike class, in lowercase.
///
/// The classes are `il1`, `o0`, `s5`, `b8`, `z2`, `a4`, `e3`, `g9q6` and `t7`. A digit can stand for two letters (`1`
/// for i and for l), so these are classes and not a mapping of digits.
private let foldedTo: StaticString = "oizeasgtbg:;<=>?@abcdefghijkimnopgrstuvwxyz[\\]^_`abcdefghijkimnopgrstuvwxyz"

extension PackedASCII {
    /// Each letter or digit as the first of its look-alike class, in lowercase; all other bytes as they are.
    public var folded: PackedASCII { foldedWithKey().folded }

    /// The letters ``folded``, and their look-alike key, in one pass.
    func foldedWithKey() -> (folded: PackedASCII, key: LookalikeKey) {
        var (folded, key) = (PackedASCII(), PackedASCII())
        withUnsafePointer(to: self) {
            KeyTable.shared.walk(UnsafeBufferPointer(start: $0, count: 1), folded: &folded, keys: &key)
        }
        return (folded, LookalikeKey(stored: key))
    }

    @inline(__always)
    static func fold(_ byte: UInt8) -> UInt8 {
        let index = byte &- UInt8(ascii: "0")
        return index < foldedTo.utf8CodeUnitCount ? foldedTo.utf8Start[Int(index)] : byte
    }

    /// The bytes without underscores.
    var withoutUnderscores: PackedASCII {
        guard contains(Rules.underscore) else { return self }
        var kept = PackedASCII()
        for index in 0..<count where self[index] != Rules.underscore { kept.append(self[index]) }
        return kept
    }
}
