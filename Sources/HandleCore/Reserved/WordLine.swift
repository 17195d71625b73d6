/// A line of a word list: word, category, kind and, optionally, a comment.
package struct WordLine: Sendable {
    package let word: PackedASCII
    package let category: String
    package let kind: WordKind
    /// Empty for most words.
    package let comment: String

    /// - Parameters:
    ///   - fields: each in UTF-8.
    ///   - number: the number of the line, from 1.
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
        guard let kind = WordKind(rawValue: text(2)) else {
            throw problem("a match is exact, lookalike, authority, affix, innocent or none")
        }
        self.word = word
        self.kind = kind
        (category, comment) = (text(1), fields.count == 4 ? text(3) : "")
    }
}
