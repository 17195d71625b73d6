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
        case .tooManyChanges(let until):
            "This owner has given up too many handles to get a further one before \(Self.minute(until)); one given up can "
                + "be taken back."
        case .ownerLocked(let until):
            "This owner is locked\(until.map { " until \(Self.minute($0))" } ?? "") and can't get or change handles."
        }
    }
}

extension Reason {
    /// A moment in UTC, such as `2027-01-31 17:05 UTC`, rounded up to the minute.
    private static func minute(_ seconds: Int64) -> String {
        let minutes = (seconds + 59) / 60
        // Years begin in March, so that a leap day is the last one. (H. Hinnant, days and civil dates)
        let day = minutes / 1440 + 719_468
        let (era, dayOfEra) = (day / 146_097, day % 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let year = era * 400 + yearOfEra + (month > 9 ? 1 : 0)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(year)-\(two(month > 9 ? month - 9 : month + 3))-\(two(dayOfYear - (153 * month + 2) / 5 + 1)) "
            + "\(two(minutes / 60 % 24)):\(two(minutes % 60)) UTC"
    }

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
