package import HandleCore

package import struct FoundationEssentials.Date

/// What an admin has changed about one reserved word.
package struct WordChange: Sendable, Hashable {
    package let word: PackedASCII
    package let category: String
    /// How far the word reaches; nil when it has been taken off.
    package let match: ReservedWord.Match?
    /// Where it comes from: `admin`, the name of a list, or ``builtIn``.
    package let source: String
    package let comment: String
    /// Who made the change; empty for ``builtIn``.
    package let actor: String
    /// When it ends by itself.
    package let until: Date?
    /// When it was made; nil when it is still to be made, and for ``builtIn``.
    package let changedAt: Date?

    /// The source of the words that the program carries.
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

    /// The word as it is in force; nil when it has been taken off.
    package var reservedWord: ReservedWord? {
        match.map { ReservedWord(word: word, category: category, match: $0) }
    }

    /// Whether it says the same as another, whoever made it and when.
    func saysTheSame(as other: WordChange) -> Bool {
        word == other.word && category == other.category && match == other.match && comment == other.comment
            && until == other.until
    }
}

extension WordChange {
    /// A word that the program carries, as though it had been added.
    init(_ listed: ListedWord) {
        self.init(
            word: listed.word.word, category: listed.word.category, match: listed.word.match, source: Self.builtIn,
            comment: listed.comment, actor: "")
    }
}
