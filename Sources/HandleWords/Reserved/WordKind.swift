package import HandleRules

/// The kind of a row of a word list, of the database or of an archive.
package enum WordKind: RawRepresentable, CaseIterable, Hashable, Sendable {
    /// The word is reserved.
    case word(ReservedWord.Match)
    /// The name is refused only if it is a word itself.
    case innocent
    /// The word is taken off, built in or added, or the added innocent name.
    case removed

    package static let allCases = words + [.innocent, .removed]

    /// The kinds by which a word is reserved.
    package static let words = ReservedWord.Match.allCases.map(WordKind.word)

    /// Nil for the kind of a newer program.
    package init?(rawValue: String) {
        guard let kind = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = kind
    }

    package var rawValue: String {
        switch self {
        case .word(let match): match.rawValue
        case .innocent: "innocent"
        case .removed: "none"
        }
    }

    /// The match kind; nil if the word is not reserved.
    package var match: ReservedWord.Match? { if case .word(let match) = self { match } else { nil } }
}
