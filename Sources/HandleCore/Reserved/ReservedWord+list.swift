extension ReservedWord {
    /// A line of a word list that can't be read, and what to change.
    public struct ListError: Error, Hashable, CustomStringConvertible {
        public let line: Int
        public let problem: String
        public var description: String { "line \(line): \(problem)" }
    }

    /// Reads a list with one word a line: word, category, match kind and comment, separated by tabs.
    ///
    /// Empty lines and lines that begin with `#` are passed over; the comment may be missing.
    /// - Throws: ``ListError`` for the first line that can't be read or repeats a word.
    public static func list(parsing text: some Sequence<UInt8>) throws(ListError) -> [ReservedWord] {
        var words: [ReservedWord] = []
        var seen: Set<PackedASCII> = []
        var number = 0
        for line in Array(text).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
            let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            guard fields.count == 3 || fields.count == 4 else {
                throw ListError(line: number, problem: "needs word, category, match and maybe a comment between tabs")
            }
            guard let word = PackedASCII(fields[0]), isWord(word) else {
                throw ListError(line: number, problem: "a word is 2 to 15 of a–z, 0–9 and _")
            }
            guard let match = Match(rawValue: String(decoding: fields[2], as: UTF8.self)) else {
                throw ListError(line: number, problem: "a match is exact, lookalike or affix")
            }
            guard !fields[1].isEmpty else { throw ListError(line: number, problem: "the category is missing") }
            guard seen.insert(word).inserted else { throw ListError(line: number, problem: "'\(word)' is there twice") }
            words.append(
                ReservedWord(word: word, category: String(decoding: fields[1], as: UTF8.self), match: match))
        }
        return words
    }

    /// Reads a list of names, one a line, with `#` before comments.
    /// - Throws: ``ListError`` for the first line that is no word.
    public static func names(parsing text: some Sequence<UInt8>) throws(ListError) -> [PackedASCII] {
        var names: [PackedASCII] = []
        var number = 0
        for line in Array(text).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
            guard let name = PackedASCII(line), isWord(name) else {
                throw ListError(line: number, problem: "a name is 2 to 15 of a–z, 0–9 and _")
            }
            names.append(name)
        }
        return names
    }

    /// The text as a word, or nil when it is none: 2 to 15 of a–z, 0–9 and _.
    public static func spelling(of text: String) -> PackedASCII? {
        PackedASCII(text.utf8).flatMap { isWord($0) ? $0 : nil }
    }

    private static func isWord(_ word: PackedASCII) -> Bool {
        (2...PackedASCII.capacity).contains(word.count) && word.lowercased == word
            && (0..<word.count).allSatisfy { Rules.isAllowed(word[$0]) }
    }
}
