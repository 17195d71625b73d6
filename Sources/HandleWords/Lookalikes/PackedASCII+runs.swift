import HandleRules

extension PackedASCII {
    /// The name without its underscores.
    @inline(__always)
    var withoutUnderscores: PackedASCII {
        contains(Rules.underscore) ? removing { $0.places(of: Rules.underscore) } : self
    }

    var withoutUnderscoresAtStart: PackedASCII {
        var start = 0
        while self[start] == Rules.underscore { start += 1 }
        return start == 0 ? self : slice(from: start)
    }

    @inline(__always)
    var withoutUnderscoresAtEnd: PackedASCII {
        var left = self
        while left.last == Rules.underscore { left = left.withoutLast }
        return left
    }

    /// The name with each run of a letter or digit as one of them.
    @inline(__always)
    var withoutRuns: PackedASCII {
        hasRun ? removing { $0.placesBeforeTheSame } : self
    }

    /// The letters behind the run that begins at `index`.
    func withoutRun(at index: Int) -> PackedASCII {
        var end = index
        while end < count, self[end] == self[index] { end += 1 }
        return slice(from: end)
    }

    /// Whether two bytes beside each other are equal.
    @inline(__always)
    var hasRun: Bool {
        let places = placesBeforeTheSame
        return places.high | places.low != 0
    }

    /// Whether three bytes in a row are equal.
    @inline(__always)
    var hasLongRun: Bool {
        let places = placesBeforeTheSame
        // A place and the one after it.
        return places.high & (places.high &<< 8 | places.low &>> 56) | places.low & places.low &<< 8 != 0
    }

    /// The name in lowercase with each run of three or more of the same letter as two of them, underscores left out; nil
    /// when it has no such run.
    ///
    /// Runs of i, l, v and w stay: other letters make them too (`w` is `vv`). Runs of digits are numbers.
    var withLongRunsShortened: PackedASCII? {
        let bare = lowercased.withoutUnderscores
        guard bare.hasLongRun else { return nil }
        var shorter = PackedASCII()
        for index in 0..<bare.count {
            let letter = bare[index]
            let isThird = index >= 2 && letter == bare[index - 1] && letter == bare[index - 2]
            if !isThird || !Self.countsTwiceAtMost(letter) { shorter.append(letter) }
        }
        return shorter.count < bare.count ? shorter : nil
    }

    /// The name with each run of three or more of the same letter as two of them or one, in all combinations; none when
    /// it has no such run.
    var withoutLongRuns: [PackedASCII] {
        guard hasLongRun else { return [] }
        var names = [PackedASCII()]
        var index = 0
        while index < count {
            let letter = self[index]
            let end = count - withoutRun(at: index).count
            let isLong = Rules.isLetter(letter) && end - index > 2
            if isLong { names = names.flatMap { [$0, $0] } }
            for place in names.indices {
                // Of two equal names the first gets two of the letter.
                let length = isLong ? 2 - place % 2 : end - index
                for _ in 0..<length { names[place].append(letter) }
            }
            index = end
        }
        return names.filter { $0 != self }
    }

    private static func countsTwiceAtMost(_ letter: UInt8) -> Bool {
        switch letter {
        case UInt8(ascii: "i"), UInt8(ascii: "l"), UInt8(ascii: "v"), UInt8(ascii: "w"): false
        default: Rules.isLetter(letter)
        }
    }

    /// The high bit of each byte of two words.
    private typealias Places = (high: UInt64, low: UInt64)

    @inline(__always)
    private func places(of byte: UInt8) -> Places {
        let pattern = Self.ones &* UInt64(byte)
        return (Self.zeroBytes(high ^ pattern), Self.zeroBytes(low ^ pattern))
    }

    /// The places of bytes that equal the next one.
    @inline(__always)
    private var placesBeforeTheSame: Places {
        // Bytes past the end equal each other, but are zero. The count equals no letter.
        (
            Self.zeroBytes(high ^ (high &<< 8 | low &>> 56)) & ~Self.zeroBytes(high),
            Self.zeroBytes(low ^ low &<< 8) & ~Self.zeroBytes(low)
        )
    }

    /// The high bit of each byte that is zero, of eight bytes below 0x80: adding 0x7F sets it in all others.
    @inline(__always)
    static func zeroBytes(_ word: UInt64) -> UInt64 { ~(word &+ ~highBits) & highBits }

    /// Removes bytes, the first of them first, until there are none to remove.
    @inline(__always)
    private func removing(_ find: (PackedASCII) -> Places) -> PackedASCII {
        var kept = self
        while case let places = find(kept), places.high | places.low != 0 {
            let index =
                places.high != 0 ? places.high.leadingZeroBitCount / 8 : 8 + places.low.leadingZeroBitCount / 8
            let before = Self.mask(index)
            let payload = kept.low & ~0xFF
            kept = PackedASCII(
                high: kept.high & before.high | (kept.high &<< 8 | payload &>> 56) & ~before.high,
                low: payload & before.low | payload &<< 8 & ~before.low | UInt64(kept.count - 1))
        }
        return kept
    }
}
