/// A line of a word list: a word, and a comment that says why it is there.
public struct ListedWord: Hashable, Sendable {
    public let word: ReservedWord
    /// Empty for most words.
    public let comment: String

    public init(word: ReservedWord, comment: String) {
        self.word = word
        self.comment = comment
    }

    /// - Throws: ``ReservedWord/ListError`` when the match of the line is no match kind.
    package init(_ line: WordLine) throws(ReservedWord.ListError) {
        self.init(word: try line.reservedWord(), comment: line.comment)
    }

    /// Reads a list with one word a line: word, category, match kind and an optional comment, separated by tabs.
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
            let listed = try ListedWord(WordLine(fields: fields, number: number))
            guard seen.insert(listed.word.word).inserted else {
                throw ReservedWord.ListError(line: number, problem: "'\(listed.word.word)' is there twice")
            }
            words.append(listed)
        }
        return words
    }
}
