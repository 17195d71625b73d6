/// Why a name can't be had. A name has all its reasons at once, in the order of the cases here.
public enum Reason: Hashable, Sendable {
    /// Fewer than 3 characters; the number there are.
    case tooShort(length: Int)
    /// More than 15 characters; the number there are.
    case tooLong(length: Int)
    /// A character other than a letter, digit or underscore; one reason for each distinct one.
    case invalidCharacter(InvalidCharacter)
    case leadingUnderscore
    case allDigits
    /// A reserved word, or one in disguise.
    case reservedWord(ReservedWord)
    /// Looks like a protected name: which of them is for callers with a key only.
    case lookalike(of: Handle)
    /// Held, claimed, reserved or quarantined: which of them is for callers with a key only.
    case taken(State)
    /// The owner has as many handles as one owner may have.
    case ownerFull(limit: Int)

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
        }
    }

    public enum Code: String, Sendable, CaseIterable {
        case tooShort = "too_short"
        case tooLong = "too_long"
        case invalidCharacter = "invalid_character"
        case leadingUnderscore = "leading_underscore"
        case allDigits = "all_digits"
        case reservedWord = "reserved_word"
        case lookalike
        case taken
        case ownerFull = "owner_full"

        /// Whether the name is malformed, whoever asks, rather than well formed but not to be had.
        public var isAboutForm: Bool {
            switch self {
            case .tooShort, .tooLong, .invalidCharacter, .leadingUnderscore, .allDigits: true
            case .reservedWord, .lookalike, .taken, .ownerFull: false
            }
        }
    }
}

/// What a name is at a moment.
public enum State: String, Sendable, CaseIterable {
    /// Nobody has it, though somebody once did.
    case free
    /// A hold: kept for one owner for minutes, during onboarding.
    case held
    /// An owner has it.
    case claimed
    /// An admin keeps it.
    case reserved
    /// Given up, and not free yet.
    case quarantined
}

/// A character that no handle has, and where it stands.
public struct InvalidCharacter: Hashable, Sendable {
    public let scalar: Unicode.Scalar
    /// The place of its first occurrence in the normalised text, in code points from 0.
    public let offset: Int
    /// Its Unicode name, where the reader knows names.
    public let name: String?
    /// The ASCII letter or digit that it can be taken for (UTS #39), where the reader knows.
    public let lookalike: Unicode.Scalar?

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
