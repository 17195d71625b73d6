package import HandleCore

/// The reserved words as they are, and as they would be with some changes.
package struct ProposedWords: Sendable {
    package let before: ReservedWords
    package let after: ReservedWords
    /// False if `after` is the same as `before`.
    package let areChanged: Bool

    /// - Parameter changes: applied in their order.
    package init(_ words: WordsInForce, with changes: [WordChange]) {
        before = words.tables
        areChanged = !changes.isEmpty
        guard areChanged else {
            after = before
            return
        }
        var changed = words
        changed.apply(changes)
        after = changed.tables
    }
}
