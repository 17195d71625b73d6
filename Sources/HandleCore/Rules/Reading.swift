/// What a typed name reads as: a display handle, or the rules of form that it breaks.
///
/// There are two ways in. ``init(ascii:)`` reads plain ASCII in one pass and without the heap, and declines whatever
/// needs Unicode or has a character to explain. ``init(normalised:describing:)`` reads any normalised text. Both find
/// the same facts, and one function turns those into reasons.
public struct Reading: Hashable, Sendable {
    private let facts: Facts

    private init(_ facts: Facts) { self.facts = facts }

    /// Whether every rule of form is kept.
    public var isWellFormed: Bool { facts.areFine }

    /// The owner's spelling; nil when a rule is broken.
    public var display: DisplayHandle? { facts.areFine ? facts.letters.map(DisplayHandle.init(unchecked:)) : nil }

    /// The canonical handle; nil when a rule is broken.
    public var handle: Handle? { display?.handle }

    /// The canonical letters, also of a malformed name, as long as each is allowed and there are 15 at most.
    /// They are what a reserved word is looked for in.
    public var letters: PackedASCII? { facts.letters?.lowercased }

    /// The rules of form that are broken, in order. They are made when asked for: reading itself needs no heap.
    public var reasons: [Reason] { facts.reasons }

    /// Reads UTF-8 as typed, trimming white space and one leading `@`, or declines with nil when it has anything
    /// besides letters, digits and underscores.
    public init?(ascii bytes: UnsafeBufferPointer<UInt8>) {
        var start = bytes.startIndex
        var end = bytes.endIndex
        while start < end, Self.isWhiteSpace(bytes[start]) { start += 1 }
        while start < end, Self.isWhiteSpace(bytes[end - 1]) { end -= 1 }
        if start < end, bytes[start] == UInt8(ascii: "@") { start += 1 }

        let typed = UnsafeBufferPointer(rebasing: bytes[start..<end])
        if typed.count <= PackedASCII.capacity {
            guard let letters = PackedASCII(loading: UnsafeRawBufferPointer(typed)), let facts = Facts(letters) else {
                return nil
            }
            self.init(facts)
        } else {
            guard typed.allSatisfy(Rules.isAllowed) else { return nil }
            var facts = Facts()
            for byte in typed { facts.note(allowed: byte) }
            self.init(facts)
        }
    }

    /// Reads text that is trimmed and normalised; `describing` explains a character that is not allowed.
    public init(
        normalised text: some Sequence<Unicode.Scalar>,
        describing: (_ scalar: Unicode.Scalar, _ offset: Int) -> InvalidCharacter = { .init(scalar: $0, offset: $1) }
    ) {
        var facts = Facts()
        var seen: Set<Unicode.Scalar> = []
        for scalar in text {
            if scalar.isASCII, Rules.isAllowed(UInt8(truncatingIfNeeded: scalar.value)) {
                facts.note(allowed: UInt8(truncatingIfNeeded: scalar.value))
            } else {
                if seen.insert(scalar).inserted { facts.invalid.append(describing(scalar, facts.length)) }
                facts.noteInvalid()
            }
        }
        self.init(facts)
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

/// What one pass over a name finds out.
private struct Facts: Hashable {
    private(set) var length = 0
    /// As many of the allowed characters as fit.
    private var packed = PackedASCII()
    private var areAllAllowed = true
    private var startsWithUnderscore = false
    private var hasOtherThanDigits = false
    var invalid: [InvalidCharacter] = []

    init() {}

    /// The facts about a whole name of up to 15 bytes; nil when one of them is not allowed.
    init?(_ letters: PackedASCII) {
        let classes = letters.classes
        guard classes.areAllAllowed else { return nil }
        length = letters.count
        packed = letters
        startsWithUnderscore = letters[0] == Rules.underscore
        hasOtherThanDigits = classes.hasOtherThanDigits
    }

    @inline(__always)
    mutating func note(allowed byte: UInt8) {
        if length == 0 { startsWithUnderscore = byte == Rules.underscore }
        if !Rules.isDigit(byte) { hasOtherThanDigits = true }
        if length < PackedASCII.capacity, areAllAllowed { packed.append(byte) }
        length += 1
    }

    mutating func noteInvalid() {
        hasOtherThanDigits = true
        areAllAllowed = false
        packed = PackedASCII()
        length += 1
    }

    /// All characters, when each is allowed and they are not too many.
    var letters: PackedASCII? { areAllAllowed && length <= PackedASCII.capacity ? packed : nil }

    /// Whether no rule is broken.
    var areFine: Bool {
        letters != nil && length >= Rules.length.lowerBound && !startsWithUnderscore && hasOtherThanDigits
    }

    /// The rules that are broken, in the order of ``Reason``.
    var reasons: [Reason] {
        if areFine { return [] }
        var reasons: [Reason] = []
        if length < Rules.length.lowerBound { reasons.append(.tooShort(length: length)) }
        if length > Rules.length.upperBound { reasons.append(.tooLong(length: length)) }
        for character in invalid { reasons.append(.invalidCharacter(character)) }
        if startsWithUnderscore { reasons.append(.leadingUnderscore) }
        if length > 0, !hasOtherThanDigits { reasons.append(.allDigits) }
        return reasons
    }
}
