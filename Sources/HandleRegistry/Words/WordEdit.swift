package import HandleCore

/// A change of the reserved words that is proposed and not made.
package enum WordEdit: Sendable, Hashable {
    /// The word is added, or replaces the one of the same spelling.
    case reserve(ReservedWord)
    /// The word is no longer reserved.
    case remove(PackedASCII)
    /// The name is refused only if it is a word itself.
    case exempt(PackedASCII)

    /// The word or name.
    package var letters: PackedASCII {
        switch self {
        case .reserve(let word): word.word
        case .remove(let letters), .exempt(let letters): letters
        }
    }

    /// The reason why an edit can't be applied.
    package enum Fault: Sendable, Hashable {
        /// The word is in the locked core.
        case locked(ReservedWord)
        /// The name to exempt is a reserved word itself.
        case reserved(ReservedWord)
        /// The word to remove is not reserved.
        case unknown
    }

    init(_ change: WordChange) {
        self = change.reservedWord.map { .reserve($0) } ?? .remove(change.word)
    }
}
