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

    /// The letters as spelled, also of a malformed name, as long as each is allowed and there are 15 at most.
    public var spelling: PackedASCII? { facts.letters }

    /// The canonical letters, also of a malformed name, as long as each is allowed and there are 15 at most.
    /// They are what a reserved word is looked for in.
    public var letters: PackedASCII? { facts.letters?.lowercased }

    /// How many characters there are, after normalisation.
    public var length: Int { facts.length }

    /// The rules of form that are broken.
    public var broken: Form { facts.broken }

    /// The rules of form that are broken as reasons, in order. They are made when asked for: reading needs no heap.
    public var reasons: [Reason] {
        var reasons: [Reason] = []
        forEachReason { reasons.append($0) }
        return reasons
    }

    /// Calls `body` with each rule of form that is broken, in order.
    public func forEachReason(_ body: (Reason) -> Void) {
        let broken = broken
        if broken.isEmpty { return }
        if broken.contains(.tooShort) { body(.tooShort(length: length)) }
        if broken.contains(.tooLong) { body(.tooLong(length: length)) }
        for character in facts.invalid { body(.invalidCharacter(character)) }
        if broken.contains(.leadingUnderscore) { body(.leadingUnderscore) }
        if broken.contains(.allDigits) { body(.allDigits) }
    }

    /// Rules of form, as a set.
    public struct Form: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let tooShort = Form(rawValue: 1)
        public static let tooLong = Form(rawValue: 2)
        public static let invalidCharacter = Form(rawValue: 4)
        public static let leadingUnderscore = Form(rawValue: 8)
        public static let allDigits = Form(rawValue: 16)
    }

    /// Reads UTF-8 as typed, trimming white space and one leading `@`, or declines with nil when it has anything
    /// besides letters, digits and underscores.
    public init?(ascii bytes: UnsafeBufferPointer<UInt8>) {
        let typed = Self.trimmed(bytes)
        if typed.count <= PackedASCII.capacity {
            guard let letters = PackedASCII(loading: UnsafeRawBufferPointer(typed)), let facts = Facts(letters) else {
                return nil
            }
            self.init(facts)
        } else {
            var facts = Facts()
            for byte in typed {
                guard Rules.isAllowed(byte) else { return nil }
                facts.note(allowed: byte)
            }
            self.init(facts)
        }
    }

    /// Reads any ASCII as typed, which normalising does not change; `describing` explains a character that is not
    /// allowed. All bytes are below 0x80.
    public init(
        anyASCII bytes: UnsafeBufferPointer<UInt8>, describing: (_ byte: UInt8, _ offset: Int) -> InvalidCharacter
    ) {
        var facts = Facts()
        var seen: (UInt64, UInt64) = (0, 0)
        for byte in Self.trimmed(bytes) {
            if Rules.isAllowed(byte) {
                facts.note(allowed: byte)
                continue
            }
            let bit: UInt64 = 1 &<< UInt64(byte & 0x3F)
            let isNew = (byte < 0x40 ? seen.0 : seen.1) & bit == 0
            if byte < 0x40 { seen.0 |= bit } else { seen.1 |= bit }
            if isNew { facts.invalid.append(describing(byte, facts.length)) }
            facts.noteInvalid()
        }
        self.init(facts)
    }

    @inline(__always)
    private static func trimmed(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        var start = bytes.startIndex
        var end = bytes.endIndex
        while start < end, isWhiteSpace(bytes[start]) { start += 1 }
        while start < end, isWhiteSpace(bytes[end - 1]) { end -= 1 }
        if start < end, bytes[start] == UInt8(ascii: "@") { start += 1 }
        return UnsafeBufferPointer(rebasing: bytes[start..<end])
    }

    /// Reads letters that are packed already; nil when one of them is not allowed.
    public init?(_ letters: PackedASCII) {
        guard let facts = Facts(letters) else { return nil }
        self.init(facts)
    }

    /// Reads text that is trimmed and normalised; `describing` explains a character that is not allowed.
    public init(
        normalised text: [Unicode.Scalar],
        describing: (_ scalar: Unicode.Scalar, _ offset: Int) -> InvalidCharacter = { .init(scalar: $0, offset: $1) }
    ) {
        var facts = Facts()
        var seen: Set<Unicode.Scalar> = []
        for scalar in text {
            if scalar.isASCII, Rules.isAllowed(UInt8(truncatingIfNeeded: scalar.value)) {
                facts.note(allowed: UInt8(truncatingIfNeeded: scalar.value))
                continue
            }
            if facts.invalid.last?.scalar != scalar, seen.insert(scalar).inserted {
                facts.invalid.append(describing(scalar, facts.length))
            }
            facts.noteInvalid()
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
    var areFine: Bool { broken.isEmpty }

    /// The rules that are broken.
    var broken: Reading.Form {
        var broken: Reading.Form = []
        if length < Rules.length.lowerBound { broken.insert(.tooShort) }
        if length > Rules.length.upperBound { broken.insert(.tooLong) }
        if !areAllAllowed { broken.insert(.invalidCharacter) }
        if startsWithUnderscore { broken.insert(.leadingUnderscore) }
        if length > 0, !hasOtherThanDigits { broken.insert(.allDigits) }
        return broken
    }
}
