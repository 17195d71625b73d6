package import HandleRules

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
            let kinds = WordKind.allCases.map(\.rawValue)
            throw problem("a match is \(kinds.dropLast().joined(separator: ", ")) or \(kinds.last ?? "")")
        }
        if let match = kind.match, !match.fits(word) {
            throw problem("a word of the match \(match.rawValue) is \(ReservedWord.Match.ruleByLetters)")
        }
        self.word = word
        self.kind = kind
        (category, comment) = (text(1), fields.count == 4 ? text(3) : "")
    }

    /// Reads a word list. Empty lines and lines that begin with `#` are skipped.
    /// - Parameter kinds: those that the list may have.
    /// - Throws: ``ReservedWord/ListError`` for the first line that can't be read, has another kind or repeats a word.
    package static func list(
        parsing text: some Sequence<UInt8>, of kinds: [WordKind]
    ) throws(ReservedWord.ListError) -> [WordLine] {
        var lines: [WordLine] = []
        var seen: Set<PackedASCII> = []
        var number = 0
        for line in Array(text).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
            let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            let line = try WordLine(fields: fields, number: number)
            guard kinds.contains(line.kind) else {
                throw ReservedWord.ListError(
                    line: number, problem: "this list can't have the match \(line.kind.rawValue) ('\(line.word)')")
            }
            guard seen.insert(line.word).inserted else {
                throw ReservedWord.ListError(line: number, problem: "'\(line.word)' is there twice")
            }
            lines.append(line)
        }
        return lines
    }
}
