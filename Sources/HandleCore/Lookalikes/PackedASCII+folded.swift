/// The folded form of each ASCII byte from `0` to `z`: the first byte of its look-alike class, in lowercase.
///
/// The classes are `il1`, `o0`, `s5`, `b8`, `z2`, `a4`, `e3`, `g9q` and `t7`. They are classes and not a mapping of
/// digits, because a digit can look like two letters (`1` like i and l).
private let foldedTo: StaticString = "oizeas6tbg:;<=>?@abcdefghijkimnopgrstuvwxyz[\\]^_`abcdefghijkimnopgrstuvwxyz"

extension PackedASCII {
    /// The name with each letter or digit replaced by the first of its look-alike class, in lowercase. Other bytes
    /// stay.
    public var folded: PackedASCII {
        var folded = PackedASCII()
        for index in 0..<count { folded.append(Self.fold(self[index])) }
        return folded
    }

    @inline(__always)
    static func fold(_ byte: UInt8) -> UInt8 {
        let index = byte &- UInt8(ascii: "0")
        return index < foldedTo.utf8CodeUnitCount ? foldedTo.utf8Start[Int(index)] : byte
    }
}
