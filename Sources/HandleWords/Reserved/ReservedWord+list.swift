package import HandleRules

extension ReservedWord {
    /// A line of a word list that can't be read, and what to change.
    package struct ListError: Error, Hashable, CustomStringConvertible {
        package let line: Int
        package let problem: String

        package init(line: Int, problem: String) {
            self.line = line
            self.problem = problem
        }

        package var description: String { "line \(line): \(problem)" }
    }

    /// The words of a list; see ``ListedWord/list(parsing:)``.
    /// - Throws: ``ListError`` for the first line that can't be read or repeats a word.
    package static func list(parsing text: some Sequence<UInt8>) throws(ListError) -> [ReservedWord] {
        try ListedWord.list(parsing: text).map(\.word)
    }

    /// Reads a list of names, one a line; lines that begin with `#` are comments.
    /// - Throws: ``ListError`` for the first line that is not a word.
    package static func names(parsing text: some Sequence<UInt8>) throws(ListError) -> [PackedASCII] {
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

    /// The text as a word, or nil unless it has 2 to 15 of a–z, 0–9 and _.
    package static func spelling(of text: String) -> PackedASCII? {
        PackedASCII(text.utf8).flatMap { isWord($0) ? $0 : nil }
    }

    /// The rule for words, for error messages.
    package static let rule = "2 to 15 of a–z, 0–9 and _"

    static func isWord(_ word: PackedASCII) -> Bool {
        (2...PackedASCII.capacity).contains(word.count) && word.lowercased == word
            && (0..<word.count).allSatisfy { Rules.isAllowed(word[$0]) }
    }
}

extension ReservedWord.Match {
    /// The rule for words of the kinds `whole` and `inside`, for error messages.
    package static let ruleByLetters = "3 to 15 of a–z"

    /// Whether a word may have this kind.
    package func fits(_ word: PackedASCII) -> Bool {
        !isByLetters || word.count >= 3 && (0..<word.count).allSatisfy { Rules.isLetter(word[$0]) }
    }
}
