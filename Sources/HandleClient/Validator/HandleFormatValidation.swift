public import HandleCore

/// What the rules of form say of a typed name: the first that it breaks.
public enum HandleFormatValidation: Sendable, Hashable {
    case valid
    /// Fewer than 3 characters.
    case tooShort
    /// More than 15 characters.
    case tooLong
    /// A character that no handle has; its offset counts code points from 0.
    case invalidCharacter(InvalidCharacter)
    case leadingUnderscore
    case allDigits

    /// Reads the text as the service does, without it and without ICU.
    ///
    /// A text that can be a handle may still be a reserved word or taken: only the service knows.
    public init(_ typed: String) {
        self =
            switch Reading(folding: typed).reasons.first {
            case .tooShort: .tooShort
            case .tooLong: .tooLong
            case .invalidCharacter(let character): .invalidCharacter(character)
            case .leadingUnderscore: .leadingUnderscore
            case .allDigits: .allDigits
            // No rule of form.
            case .reservedWord, .lookalike, .taken, .ownerFull, nil: .valid
            }
    }
}
