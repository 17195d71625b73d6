public import HandleCore

public import struct FoundationEssentials.Date

/// What an admin has changed about one reserved word.
public struct WordChange: Sendable, Hashable {
    public let word: PackedASCII
    public let category: String
    /// How far the word reaches; nil when it has been taken off.
    public let match: ReservedWord.Match?
    /// Where it comes from: `admin`, or the name of a list.
    public let source: String
    public let comment: String
    /// Who made the change.
    public let actor: String
    /// When it ends by itself.
    public let until: Date?

    public init(
        word: PackedASCII, category: String, match: ReservedWord.Match?, source: String = "admin",
        comment: String = "", actor: String, until: Date? = nil
    ) {
        self.word = word
        self.category = category
        self.match = match
        self.source = source
        self.comment = comment
        self.actor = actor
        self.until = until
    }
}
