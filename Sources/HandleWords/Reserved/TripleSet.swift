import HandleRules

/// A set of three folded letters: one bit for each possible triple.
struct TripleSet: Sendable {
    enum End { case start, end }

    private var bits = [UInt64](repeating: 0, count: 1 << 15 / 64)

    /// - Parameter affixes: two letters or three; with two, any third letter matches.
    init(_ affixes: [PackedASCII], at end: End) {
        for affix in affixes {
            let letters = (0..<affix.count).map { UInt64(affix[$0]) }
            let triples: [[UInt64]] =
                letters.count >= 3
                ? [letters] : (0..<32).map { end == .start ? letters + [$0] : [$0] + letters }
            for triple in triples {
                let place = Self.place(triple[0] << 16 | triple[1] << 8 | triple[2])
                bits[Int(place >> 6)] |= 1 << (place & 63)
            }
        }
    }

    /// - Parameter letters: three bytes in the lowest places. Bytes in higher places don't count.
    @inline(__always)
    func contains(_ letters: UInt64) -> Bool {
        let place = Self.place(letters)
        return bits[Int(place &>> 6)] & 1 &<< (place & 63) != 0
    }

    /// Joins the low five bits of each byte.
    @inline(__always)
    private static func place(_ letters: UInt64) -> UInt64 {
        (letters &>> 6 & 0x7C00) | (letters &>> 3 & 0x3E0) | (letters & 0x1F)
    }
}
