extension Reason {
    /// One sentence for the person typing: what is wrong and what to change.
    public var message: String {
        switch self {
        case .tooShort(let length):
            "A handle has at least \(Rules.length.lowerBound) characters; this has \(length)."
        case .tooLong(let length):
            "A handle has at most \(Rules.length.upperBound) characters; this has \(length)."
        case .invalidCharacter(let character):
            character.message
        case .leadingUnderscore:
            "A handle can't start with an underscore; start with a letter or a digit."
        case .allDigits:
            "A handle can't be digits only; add a letter."
        case .reservedWord(let word):
            word.isOffensive
                ? "This name can't be used; choose another." : "This name is reserved; choose another."
        case .lookalike:
            "This looks too much like a name that is protected; choose another."
        case .taken:
            "This name is taken."
        case .ownerFull(let limit):
            limit == 1
                ? "An owner has one handle; release or rename it first."
                : "An owner has at most \(limit) handles; release or rename one first."
        }
    }
}

extension Reason {
    /// The message with details that are not for everyone: the state of a taken name, the word, the protected name.
    package var sentenceForAdmins: String {
        switch self {
        case .taken(let state): "This name is \(state.rawValue)."
        case .reservedWord(let word): "'\(word.word)' is a reserved word (\(word.category))."
        case .lookalike(let original): "This looks too much like \(original)."
        default: message
        }
    }
}

extension InvalidCharacter {
    /// Names the character in a way that also works if it is invisible.
    fileprivate var message: String {
        let isVisible = scalar.value > 0x20 && scalar.value < 0x7F
        var subject = isVisible ? "'\(scalar)'" : codepoint
        if let name, !name.isEmpty { subject += isVisible ? " (\(name))" : " \(name)" }
        if let lookalike { subject += " looks like '\(lookalike)' but" }
        return "\(subject) can't be in a handle; use a–z, 0–9 and _."
    }
}
