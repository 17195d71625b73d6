/// The reading of a name that has only ASCII letters, digits and underscores: computed in a few steps, eight bytes at a
/// time, without the heap.
public struct PlainReading: Hashable, Sendable {
    /// The letters as spelled, if there are at most 15; else empty.
    public let letters: PackedASCII
    /// The number of characters.
    public let length: Int
    /// The rules of form that are broken.
    public let broken: Reading.Form

    /// Reads UTF-8 as typed, trimming white space and one leading `@`; nil when it has anything besides letters, digits
    /// and underscores.
    @inline(__always)
    public init?(ascii bytes: UnsafeBufferPointer<UInt8>) {
        let typed = Reading.trimmed(bytes)
        guard typed.count > PackedASCII.capacity else {
            guard let letters = PackedASCII(loading: UnsafeRawBufferPointer(typed)) else { return nil }
            self.init(letters)
            return
        }
        var isOnlyDigits = true
        for byte in typed {
            guard Rules.isAllowed(byte) else { return nil }
            if !Rules.isDigit(byte) { isOnlyDigits = false }
        }
        let startsWithUnderscore = typed[0] == Rules.underscore
        self.init(
            letters: PackedASCII(), length: typed.count,
            broken: Reading.Form(
                length: typed.count, startsWithUnderscore: startsWithUnderscore, isOnlyDigits: isOnlyDigits))
    }

    /// Reads letters that are packed already; nil when one of them is not allowed.
    @inline(__always)
    public init?(_ letters: PackedASCII) {
        let classes = letters.classes
        guard classes.areAllAllowed else { return nil }
        self.letters = letters
        length = letters.count
        broken = Reading.Form(
            length: length, startsWithUnderscore: letters[0] == Rules.underscore,
            isOnlyDigits: !classes.hasOtherThanDigits)
    }

    init(letters: PackedASCII, length: Int, broken: Reading.Form) {
        (self.letters, self.length, self.broken) = (letters, length, broken)
    }
}

extension Reading.Form {
    /// The rules that a name of allowed characters breaks.
    @inline(__always)
    init(length: Int, startsWithUnderscore: Bool, isOnlyDigits: Bool) {
        self = []
        if length < Rules.length.lowerBound { insert(.tooShort) }
        if length > Rules.length.upperBound { insert(.tooLong) }
        if startsWithUnderscore { insert(.leadingUnderscore) }
        if length > 0, isOnlyDigits { insert(.allDigits) }
    }
}
