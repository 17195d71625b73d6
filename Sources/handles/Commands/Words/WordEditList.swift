import HandleCore
import HandleRegistry

/// Edits of the reserved words from lists, in which a row may also take a word off or exempt a name.
struct WordEditList: Sendable {
    private struct Row {
        let list: String
        let line: Int
        let edit: WordEdit
        /// True if an earlier list adds the word.
        let isAdded: Bool
    }

    /// The last row about each word, in the order of the lists.
    private let rows: [Row]

    private static let matches = "exact, lookalike, affix, none or innocent"

    /// No edits.
    init() { rows = [] }

    /// - Parameter paths: the lists; `-` is the standard input. If several have a row about the same word, the last one
    ///   counts.
    /// - Throws: ``CommandFault`` when a list can't be read, has no rows, or has damaged ones, which are noted.
    init(paths: [String]) throws {
        var rows: [Row] = []
        var added: Set<PackedASCII> = []
        var faults = 0
        for path in paths {
            let name = TextFile.name(of: path)
            for row in try WordRow.rows(of: TextFile.read(path), called: name, Self.edit) {
                switch row.content {
                case .success(let edit):
                    rows.append(
                        Row(list: name, line: row.line, edit: edit, isAdded: added.contains(edit.letters)))
                    if case .reserve(let word) = edit { added.insert(word.word) }
                case .failure(let error):
                    Self.note(name, row.line, error.problem)
                    faults += 1
                }
            }
        }
        try Self.check(faults)
        var later: Set<PackedASCII> = []
        self.rows = rows.reversed().filter { later.insert($0.edit.letters).inserted }.reversed()
    }

    private static func edit(_ line: WordLine) throws(ReservedWord.ListError) -> WordEdit {
        switch line.match {
        case "none": .remove(line.word)
        case "innocent": .exempt(line.word)
        default: .reserve(try line.reservedWord(matches: matches))
        }
    }

    var edits: [WordEdit] { rows.map(\.edit) }

    /// Notes every row that can't be applied to the words as they are.
    /// - Throws: ``CommandFault`` if there are any: figures without them would be those of another list.
    func check(against words: ProposedWords) throws {
        var faults = 0
        for row in rows {
            guard let fault = words.fault(of: row.edit) else { continue }
            if fault == .unknown, row.isAdded { continue }
            Self.note(row.list, row.line, fault.sentence(about: row.edit.letters))
            faults += 1
        }
        try Self.check(faults)
    }

    private static func note(_ list: String, _ line: Int, _ problem: String) {
        Output.note("\(list.printable), line \(line): \(problem.printable)")
    }

    private static func check(_ faults: Int) throws {
        guard faults > 0 else { return }
        throw CommandFault(.unreadableData, "correct \(faults == 1 ? "this row" : "these rows") and try again")
    }
}

extension WordEdit.Fault {
    fileprivate func sentence(about letters: PackedASCII) -> String {
        switch self {
        case .locked(let word): word.sentenceWhenLocked
        case .reserved(let word):
            "'\(word.word)' is a reserved word itself (\(word.category)); to take it off, write none instead of innocent"
        case .unknown: "'\(letters)' is not reserved, so it can't be taken off"
        }
    }
}
