package import HandleRules
package import HandleWords

package import struct FoundationEssentials.Date

/// An admin's change of one reserved word or innocent name. It replaces what was there of the same letters.
package struct WordChange: Sendable, Hashable {
    package let word: PackedASCII
    package let category: String
    package let kind: WordKind
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
    /// The category of the built-in innocent names, and of others unless they are given another one.
    package static let innocentCategory = "innocent"

    package init(
        word: PackedASCII, category: String, kind: WordKind, source: String = "admin",
        comment: String = "", actor: String, until: Date? = nil, changedAt: Date? = nil
    ) {
        self.word = word
        self.category = category
        self.kind = kind
        self.source = source
        self.comment = comment
        self.actor = actor
        self.until = until
        self.changedAt = changedAt
    }

    /// The word as in force; nil unless it is reserved.
    package var reservedWord: ReservedWord? {
        kind.match.map { ReservedWord(word: word, category: category, match: $0) }
    }

    /// True if another change has the same content. Source, actor and time may differ, and the category of an innocent
    /// name. The comment of the program need not be repeated.
    package func saysTheSame(as other: WordChange) -> Bool {
        let hasSameComment = comment == other.comment || source == Self.builtIn && other.comment.isEmpty
        let hasSameCategory = category == other.category || kind == .innocent
        return word == other.word && kind == other.kind && until == other.until && hasSameComment && hasSameCategory
    }
}

extension WordChange {
    /// A built-in word, as if it had been added.
    init(_ listed: ListedWord) {
        self.init(
            word: listed.word.word, category: listed.word.category, kind: .word(listed.word.match),
            source: Self.builtIn, comment: listed.comment, actor: "")
    }

    /// A row of a word list.
    package init(_ line: WordLine, source: String, actor: String) {
        self.init(
            word: line.word, category: line.category, kind: line.kind, source: source, comment: line.comment,
            actor: actor)
    }
}
