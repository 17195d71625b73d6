/// A line of a word list: a word, and a comment that says why it is there.
public struct ListedWord: Hashable, Sendable {
    public let word: ReservedWord
    /// Empty for most words.
    public let comment: String

    public init(word: ReservedWord, comment: String) {
        self.word = word
        self.comment = comment
    }

    /// Reads the fields of a line: word, category, match kind and, optionally, a comment, each in UTF-8.
    /// - Throws: ``ReservedWord/ListError``, which says what to change.
    public init(fields: [ArraySlice<UInt8>], line: Int) throws(ReservedWord.ListError) {
        func problem(_ problem: String) -> ReservedWord.ListError { .init(line: line, problem: problem) }
        guard fields.count == 3 || fields.count == 4 else {
            throw problem("needs word, category, match and maybe a comment between tabs")
        }
        guard let word = PackedASCII(fields[0]), ReservedWord.isWord(word) else {
            throw problem("a word is \(ReservedWord.rule)")
        }
        guard let match = ReservedWord.Match(rawValue: String(decoding: fields[2], as: UTF8.self)) else {
            throw problem("a match is exact, lookalike or affix")
        }
        guard !fields[1].isEmpty else { throw problem("the category is missing") }
        self.word = ReservedWord(word: word, category: String(decoding: fields[1], as: UTF8.self), match: match)
        comment = fields.count == 4 ? String(decoding: fields[3], as: UTF8.self) : ""
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
            let listed = try ListedWord(fields: fields, line: number)
            guard seen.insert(listed.word.word).inserted else {
                throw ReservedWord.ListError(line: number, problem: "'\(listed.word.word)' is there twice")
            }
            words.append(listed)
        }
        return words
    }
}
