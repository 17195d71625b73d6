package import HandleRules

/// A line of a word list: a word, and a comment that says why it is there.
package struct ListedWord: Hashable, Sendable {
    package let word: ReservedWord
    /// Empty for most words.
    package let comment: String

    package init(word: ReservedWord, comment: String) {
        self.word = word
        self.comment = comment
    }

    /// Reads a list of reserved words with one a line: word, category, match kind and an optional comment, separated by
    /// tabs.
    ///
    /// Empty lines and lines that begin with `#` are skipped.
    /// - Throws: ``ReservedWord/ListError`` for the first line that can't be read, is `innocent` or `none`, or repeats a
    ///   word.
    package static func list(parsing text: some Sequence<UInt8>) throws(ReservedWord.ListError) -> [ListedWord] {
        try WordLine.list(parsing: text, of: WordKind.words).compactMap { line in
            line.kind.match.map {
                ListedWord(
                    word: ReservedWord(word: line.word, category: line.category, match: $0), comment: line.comment)
            }
        }
    }
}
