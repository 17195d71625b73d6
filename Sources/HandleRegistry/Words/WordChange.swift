package import HandleCore

package import struct FoundationEssentials.Date

/// An admin's change of one reserved word.
package struct WordChange: Sendable, Hashable {
    package let word: PackedASCII
    package let category: String
    /// The match kind; nil if the word is removed.
    package let match: ReservedWord.Match?
    /// Origin: `admin`, the name of a list, or ``builtIn``.
    package let source: String
    package let comment: String
    /// The actor of the change; empty for ``builtIn``.
    package let actor: String
    /// End of the change; nil for none.
    package let until: Date?
    /// Time of the change; nil if it is not made yet, and for ``builtIn``.
    package let changedAt: Date?

    /// The source of the built-in words.
    package static let builtIn = "built-in"

    package init(
        word: PackedASCII, category: String, match: ReservedWord.Match?, source: String = "admin",
        comment: String = "", actor: String, until: Date? = nil, changedAt: Date? = nil
    ) {
        self.word = word
        self.category = category
        self.match = match
        self.source = source
        self.comment = comment
        self.actor = actor
        self.until = until
        self.changedAt = changedAt
    }

    /// The word as in force; nil if it is removed.
    package var reservedWord: ReservedWord? {
        match.map { ReservedWord(word: word, category: category, match: $0) }
    }

    /// True if another change has the same content. Source, actor and time may differ.
    package func saysTheSame(as other: WordChange) -> Bool {
        word == other.word && category == other.category && match == other.match && comment == other.comment
            && until == other.until
    }
}

extension WordChange {
    /// A built-in word, as if it had been added.
    init(_ listed: ListedWord) {
        self.init(
            word: listed.word.word, category: listed.word.category, match: listed.word.match, source: Self.builtIn,
            comment: listed.comment, actor: "")
    }
}
