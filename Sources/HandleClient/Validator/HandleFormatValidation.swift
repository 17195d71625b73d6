public import HandleRules

/// The result of checking the form of a typed name: valid, or the first rule that it breaks.
public enum HandleFormatValidation: Sendable, Hashable {
    /// No rule of form is broken. The name may still be reserved or taken.
    case valid
    /// Fewer than 3 characters.
    case tooShort
    /// More than 15 characters.
    case tooLong
    /// A character that no handle has; its offset counts code points from 0.
    case invalidCharacter(InvalidCharacter)
    /// The first character is an underscore.
    case leadingUnderscore
    /// All characters are digits.
    case allDigits

    /// Reads the text as the service does, without the service and without ICU.
    ///
    /// A valid name may still be reserved or taken: only the service knows.
    public init(_ typed: String) {
        self =
            switch Reading(folding: typed).reasons.first {
            case .tooShort: .tooShort
            case .tooLong: .tooLong
            case .invalidCharacter(let character): .invalidCharacter(character)
            case .leadingUnderscore: .leadingUnderscore
            case .allDigits: .allDigits
            // These are not rules of form.
            case .reservedWord, .lookalike, .taken, .ownerFull, .tooManyChanges, .ownerLocked, nil: .valid
            }
    }
}
