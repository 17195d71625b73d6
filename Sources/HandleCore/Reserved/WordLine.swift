/// The fields of a line of a word list: word, category, match and, optionally, a comment.
package struct WordLine: Sendable {
    /// The number of the line, from 1.
    package let number: Int
    package let word: PackedASCII
    package let category: String
    /// The match kind, as written.
    package let match: String
    /// Empty for most words.
    package let comment: String

    /// - Parameter fields: each in UTF-8.
    /// - Throws: ``ReservedWord/ListError``, which says what to change.
    package init(fields: [ArraySlice<UInt8>], number: Int) throws(ReservedWord.ListError) {
        func problem(_ problem: String) -> ReservedWord.ListError { .init(line: number, problem: problem) }
        func text(_ field: Int) -> String { String(decoding: fields[field], as: UTF8.self) }
        guard fields.count == 3 || fields.count == 4 else {
            throw problem("needs word, category, match and maybe a comment between tabs")
        }
        guard let word = PackedASCII(fields[0]), ReservedWord.isWord(word) else {
            throw problem("a word is \(ReservedWord.rule)")
        }
        guard !fields[1].isEmpty else { throw problem("the category is missing") }
        self.number = number
        self.word = word
        (category, match, comment) = (text(1), text(2), fields.count == 4 ? text(3) : "")
    }

    /// The word with its match kind.
    /// - Parameter matches: the values that the line may have, for the error message.
    /// - Throws: ``ReservedWord/ListError`` when the line has another match.
    package func reservedWord(
        matches: String = "exact, lookalike or affix"
    ) throws(ReservedWord.ListError) -> ReservedWord {
        guard let match = ReservedWord.Match(rawValue: match) else {
            throw ReservedWord.ListError(line: number, problem: "a match is \(matches)")
        }
        return ReservedWord(word: word, category: category, match: match)
    }
}
