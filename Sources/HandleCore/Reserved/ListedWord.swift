/// A line of a word list: a word, and a comment that says why it is there.
public struct ListedWord: Hashable, Sendable {
    public let word: ReservedWord
    /// Empty for most words.
    public let comment: String

    public init(word: ReservedWord, comment: String) {
        self.word = word
        self.comment = comment
    }

    /// Reads a list of reserved words with one a line: word, category, match kind and an optional comment, separated by
    /// tabs.
    ///
    /// Empty lines and lines that begin with `#` are skipped.
    /// - Throws: ``ReservedWord/ListError`` for the first line that can't be read or repeats a word.
    public static func list(parsing text: some Sequence<UInt8>) throws(ReservedWord.ListError) -> [ListedWord] {
        var words: [ListedWord] = []
        var seen: Set<PackedASCII> = []
        var number = 0
        for line in Array(text).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
            let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            let line = try WordLine(fields: fields, number: number)
            guard let match = line.kind.match else {
                throw ReservedWord.ListError(line: number, problem: "'\(line.word)' is no reserved word")
            }
            guard seen.insert(line.word).inserted else {
                throw ReservedWord.ListError(line: number, problem: "'\(line.word)' is there twice")
            }
            let word = ReservedWord(word: line.word, category: line.category, match: match)
            words.append(ListedWord(word: word, comment: line.comment))
        }
        return words
    }
}
