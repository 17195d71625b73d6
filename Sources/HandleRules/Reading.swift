/// The result of reading a typed name: a display handle, or the rules of form that it breaks.
///
/// Plain ASCII is read by ``PlainReading``, which returns nil when a character needs an explanation.
/// ``init(anyASCII:describing:)`` and ``init(normalised:describing:)`` read everything else.
///
/// ```swift
/// let reading = Reading(folding: "@JaneRoe")
/// print(reading.display?.description ?? "malformed", reading.reasons.map(\.message))
/// ```
public struct Reading: Hashable, Sendable {
    /// The letters that are allowed and fit, their number, and the broken rules.
    private let plain: PlainReading
    private let invalid: [InvalidCharacter]

    private init(_ plain: PlainReading, _ invalid: [InvalidCharacter] = []) {
        self.plain = plain
        self.invalid = invalid
    }

    /// Whether every rule of form is kept.
    public var isWellFormed: Bool { broken.isEmpty }

    /// The owner's spelling; nil when a rule is broken.
    public var display: DisplayHandle? { isWellFormed ? DisplayHandle(unchecked: plain.letters) : nil }

    /// The canonical handle; nil when a rule is broken.
    public var handle: Handle? { display?.handle }

    /// The letters as spelled, even of a malformed name, if all are allowed and there are at most 15.
    public var spelling: PackedASCII? { broken.isDisjoint(with: [.tooLong, .invalidCharacter]) ? plain.letters : nil }

    /// The canonical letters, even of a malformed name, if all are allowed and there are at most 15. Reserved words are
    /// looked up by these.
    public var letters: PackedASCII? { spelling?.lowercased }

    /// The number of characters after normalisation.
    public var length: Int { plain.length }

    /// The rules of form that are broken.
    public var broken: Form { plain.broken }

    /// The broken rules of form as reasons, in order. They are computed on access, so that reading needs no heap.
    public var reasons: [Reason] {
        var reasons: [Reason] = []
        forEachReason { reasons.append($0) }
        return reasons
    }

    /// Calls `body` with each broken rule of form, in order.
    public func forEachReason(_ body: (Reason) -> Void) {
        let broken = broken
        if broken.isEmpty { return }
        if broken.contains(.tooShort) { body(.tooShort(length: length)) }
        if broken.contains(.tooLong) { body(.tooLong(length: length)) }
        for character in invalid { body(.invalidCharacter(character)) }
        if broken.contains(.leadingUnderscore) { body(.leadingUnderscore) }
        if broken.contains(.allDigits) { body(.allDigits) }
    }

    /// A set of rules of form.
    public struct Form: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Fewer than 3 characters.
        public static let tooShort = Form(rawValue: 1)
        /// More than 15 characters.
        public static let tooLong = Form(rawValue: 2)
        /// A character other than a letter, digit or underscore.
        public static let invalidCharacter = Form(rawValue: 4)
        /// The first character is an underscore.
        public static let leadingUnderscore = Form(rawValue: 8)
        /// There is a character, and each is a digit.
        public static let allDigits = Form(rawValue: 16)
    }

    /// Reads UTF-8 as typed, trimming white space and one leading `@`; nil when it has anything besides letters, digits
    /// and underscores.
    public init?(ascii bytes: UnsafeBufferPointer<UInt8>) {
        guard let plain = PlainReading(ascii: bytes) else { return nil }
        self.init(plain)
    }

    /// Reads any ASCII as typed; normalisation would not change it. `describing` explains a character that is not
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
        self.init(facts.plain, facts.invalid)
    }

    @inline(__always)
    static func trimmed(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        var start = bytes.startIndex
        var end = bytes.endIndex
        while start < end, isWhiteSpace(bytes[start]) { start += 1 }
        while start < end, isWhiteSpace(bytes[end - 1]) { end -= 1 }
        if start < end, bytes[start] == UInt8(ascii: "@") { start += 1 }
        return UnsafeBufferPointer(rebasing: bytes[start..<end])
    }

    /// Reads letters that are packed already; nil when one of them is not allowed.
    public init?(_ letters: PackedASCII) {
        guard let plain = PlainReading(letters) else { return nil }
        self.init(plain)
    }

    /// Reads a spelling that is known to be well formed.
    public init(_ display: DisplayHandle) {
        guard let plain = PlainReading(display.letters) else { preconditionFailure("its letters are allowed") }
        self.init(plain)
    }

    /// Reads text that is trimmed and normalised. `describing` explains a character that is not allowed.
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
        self.init(facts.plain, facts.invalid)
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

/// The facts that one pass over a name collects.
private struct Facts {
    private(set) var length = 0
    /// The allowed characters, as many as fit.
    private var packed = PackedASCII()
    private var areAllAllowed = true
    private var startsWithUnderscore = false
    private var hasOtherThanDigits = false
    var invalid: [InvalidCharacter] = []

    mutating func note(allowed byte: UInt8) {
        if length == 0 { startsWithUnderscore = byte == Rules.underscore }
        if !Rules.isDigit(byte) { hasOtherThanDigits = true }
        if packed.count < PackedASCII.capacity { packed.append(byte) }
        length += 1
    }

    mutating func noteInvalid() {
        hasOtherThanDigits = true
        areAllAllowed = false
        length += 1
    }

    var plain: PlainReading {
        var broken = Reading.Form(
            length: length, startsWithUnderscore: startsWithUnderscore, isOnlyDigits: !hasOtherThanDigits)
        if !areAllAllowed { broken.insert(.invalidCharacter) }
        let isWhole = areAllAllowed && length <= PackedASCII.capacity
        return PlainReading(letters: isWhole ? packed : PackedASCII(), length: length, broken: broken)
    }
}
