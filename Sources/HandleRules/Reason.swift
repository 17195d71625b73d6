/// A reason why a name is not available. A name gets all its reasons at once, in the order of these cases.
public enum Reason: Hashable, Sendable {
    /// Fewer than 3 characters, with the number found.
    case tooShort(length: Int)
    /// More than 15 characters, with the number found.
    case tooLong(length: Int)
    /// A character other than a letter, digit or underscore; one reason for each distinct character.
    case invalidCharacter(InvalidCharacter)
    /// The first character is an underscore.
    case leadingUnderscore
    /// All characters are digits, so the name could be mistaken for a number or an id.
    case allDigits
    /// A reserved word, or a disguise of one.
    case reservedWord(ReservedWord)
    /// Looks like a protected name. Only callers with a key learn which one.
    case lookalike(of: Handle)
    /// Held, claimed, reserved or quarantined. Only callers with a key learn the state.
    case taken(Handle.State)
    /// The owner has the maximum number of handles.
    case ownerFull(limit: Int)
    /// The owner has given up too many handles, which are still kept for it, to get a further one before a moment, in
    /// seconds since 1970.
    case tooManyChanges(until: Int64)
    /// A moderator has locked the owner: until a moment, in seconds since 1970, or without an end.
    case ownerLocked(until: Int64?)

    /// The stable code, the same over HTTP, on the command line and in reports.
    public var code: Code {
        switch self {
        case .tooShort: .tooShort
        case .tooLong: .tooLong
        case .invalidCharacter: .invalidCharacter
        case .leadingUnderscore: .leadingUnderscore
        case .allDigits: .allDigits
        case .reservedWord: .reservedWord
        case .lookalike: .lookalike
        case .taken: .taken
        case .ownerFull: .ownerFull
        case .tooManyChanges: .tooManyChanges
        case .ownerLocked: .ownerLocked
        }
    }

    /// A reason without its details. The raw value is the code in answers of the service and in reports.
    public enum Code: String, Sendable, CaseIterable {
        /// ``Reason/tooShort(length:)``: a rule of form.
        case tooShort = "too_short"
        /// ``Reason/tooLong(length:)``: a rule of form.
        case tooLong = "too_long"
        /// ``Reason/invalidCharacter(_:)``: a rule of form.
        case invalidCharacter = "invalid_character"
        /// ``Reason/leadingUnderscore``: a rule of form.
        case leadingUnderscore = "leading_underscore"
        /// ``Reason/allDigits``: a rule of form.
        case allDigits = "all_digits"
        /// ``Reason/reservedWord(_:)``: only the service knows.
        case reservedWord = "reserved_word"
        /// ``Reason/lookalike(of:)``: only the service knows.
        case lookalike
        /// ``Reason/taken(_:)``: another owner or an admin has the name.
        case taken
        /// ``Reason/ownerFull(limit:)``: the caller is the reason, not the name.
        case ownerFull = "owner_full"
        /// ``Reason/tooManyChanges(until:)``: the caller is the reason, not the name.
        case tooManyChanges = "too_many_changes"
        /// ``Reason/ownerLocked(until:)``: the caller is the reason, not the name.
        case ownerLocked = "owner_locked"

        /// Whether the name is malformed for every caller, not well formed but unavailable.
        public var isAboutForm: Bool {
            switch self {
            case .tooShort, .tooLong, .invalidCharacter, .leadingUnderscore, .allDigits: true
            case .reservedWord, .lookalike, .taken, .ownerFull, .tooManyChanges, .ownerLocked: false
            }
        }

        /// Whether the owner is the reason, so that it can't have any other name either.
        public var isAboutOwner: Bool { [.ownerFull, .tooManyChanges, .ownerLocked].contains(self) }
    }
}

/// A character that no handle may have, and its position.
public struct InvalidCharacter: Hashable, Sendable {
    /// The code point.
    public let scalar: Unicode.Scalar
    /// The position of its first occurrence in the normalised text, in code points from 0.
    public let offset: Int
    /// Its Unicode name, if the reader knows names.
    public let name: String?
    /// The ASCII letter or digit that it looks like (UTS #39), if the reader knows it.
    public let lookalike: Unicode.Scalar?

    /// - Parameters:
    ///   - scalar: the code point.
    ///   - offset: its first position in the normalised text, in code points from 0.
    ///   - name: its Unicode name; nil if the reader knows no names.
    ///   - lookalike: the ASCII letter or digit that it looks like; nil if there is none, or the reader knows none.
    public init(
        scalar: Unicode.Scalar, offset: Int, name: String? = nil, lookalike: Unicode.Scalar? = nil
    ) {
        self.scalar = scalar
        self.offset = offset
        self.name = name
        self.lookalike = lookalike
    }

    /// `U+` and four to six hexadecimal digits.
    public var codepoint: String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
