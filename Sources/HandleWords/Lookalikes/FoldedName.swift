import HandleRules

/// A name in folded letters, and the symbols of its look-alike key: the result of steps 1, 3 and 4 of ``LookalikeKey``.
struct FoldedName {
    let letters: PackedASCII
    /// The letters without underscores.
    let bare: PackedASCII
    let symbols: PackedASCII

    @inline(__always)
    init(_ name: PackedASCII) {
        letters = name.folded
        bare = letters.withoutUnderscores
        // Nearly all names have no pair.
        symbols = bare.hasPair ? bare.joiningPairs : bare
    }
}

extension PackedASCII {
    /// Whether two folded letters beside each other look like one (`rn`, `ci`, `vv`), or like the same two in the other
    /// order (`vw`).
    @inline(__always)
    fileprivate var hasPair: Bool {
        // Each byte beside the next one. The count, which is next to the last letter, is none.
        let (high, low) = words
        return Self.havePair(high, high &<< 8 | low &>> 56) || Self.havePair(low, low &<< 8)
    }

    @inline(__always)
    private static func havePair(_ letters: UInt64, _ next: UInt64) -> Bool {
        func differences(_ letters: UInt64, _ letter: UInt8) -> UInt64 { letters ^ ones &* UInt64(letter) }
        let rn = differences(letters, UInt8(ascii: "r")) | differences(next, UInt8(ascii: "n"))
        let ci = differences(letters, UInt8(ascii: "c")) | differences(next, UInt8(ascii: "i"))
        // v and w differ in the lowest bit.
        let vv = differences(letters, UInt8(ascii: "v")) | differences(next, UInt8(ascii: "v")) & ~ones
        return zeroBytes(rn) | zeroBytes(ci) | zeroBytes(vv) != 0
    }

    /// The folded letters with each pair as the letter that it looks like. `cl` folds to `ci`. A run of v and w is
    /// written as w, and maybe one v behind.
    @inline(never)
    fileprivate var joiningPairs: PackedASCII {
        var joined = PackedASCII()
        for index in 0..<count {
            let letter = self[index]
            switch (joined.last, letter) {
            case (UInt8(ascii: "r"), UInt8(ascii: "n")): joined.replaceLast(by: UInt8(ascii: "m"))
            case (UInt8(ascii: "c"), UInt8(ascii: "i")): joined.replaceLast(by: UInt8(ascii: "d"))
            case (UInt8(ascii: "v"), UInt8(ascii: "v")): joined.replaceLast(by: UInt8(ascii: "w"))
            case (UInt8(ascii: "v"), UInt8(ascii: "w")):
                joined.replaceLast(by: letter)
                joined.append(UInt8(ascii: "v"))
            default: joined.append(letter)
            }
        }
        return joined
    }

    private mutating func replaceLast(by letter: UInt8) {
        self = withoutLast
        append(letter)
    }
}
