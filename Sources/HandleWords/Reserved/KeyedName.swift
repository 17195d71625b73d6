import HandleRules

/// A name, or a part of one, with what it is compared by.
struct KeyedName {
    /// Lowercase letters, digits and underscores.
    let letters: PackedASCII
    /// The look-alike key.
    let key: PackedASCII
    /// The look-alike key without runs, by which ``CandidateWords`` are found.
    let roughKey: PackedASCII

    /// If false, no letter is next to the same one: the key has no run, and is as long as the name.
    @inline(__always)
    var mayHaveRun: Bool { letters.count != roughKey.count }

    init(_ letters: PackedASCII) { self.init(letters, key: LookalikeKey(letters).letters) }

    @inline(__always)
    init(_ letters: PackedASCII, key: PackedASCII) {
        self.letters = letters
        self.key = key
        roughKey = key.withoutRuns
    }

    @inline(__always)
    init(_ letters: PackedASCII, _ folded: FoldedName) {
        self.letters = letters
        // One check for both: most names have no run.
        if folded.symbols.hasRun {
            key = LookalikeKey(folded, of: letters).letters
            roughKey = key.withoutRuns
        } else {
            (key, roughKey) = (folded.symbols, folded.symbols)
        }
    }

    /// The name without the digit at its end.
    /// - Parameter core: the same without underscores around it.
    @inline(__always)
    func withoutLastDigit(_ digit: UInt8, leaving core: PackedASCII) -> KeyedName {
        // Each digit is a symbol of the key, except that `c1` looks like one letter.
        if digit == UInt8(ascii: "1"), core.last == UInt8(ascii: "c") {
            var key = key.withoutLast
            key.append(UInt8(ascii: "c"))
            return KeyedName(core, key: key)
        }
        let isRun = key.count > 1 && key[key.count - 1] == key[key.count - 2]
        return KeyedName(core, key: key.withoutLast, roughKey: isRun ? roughKey : roughKey.withoutLast)
    }

    @inline(__always)
    private init(_ letters: PackedASCII, key: PackedASCII, roughKey: PackedASCII) {
        (self.letters, self.key, self.roughKey) = (letters, key, roughKey)
    }
}
