import HandleCore
import HandleRegistry

/// Lists of changes of the reserved words that are measured and not made.
struct WordLists: Sendable {
    private struct List {
        let name: String
        var rows: [(line: Int, change: WordChange)] = []
    }

    private let lists: [List]

    /// No changes.
    init() { lists = [] }

    /// - Parameter paths: the lists; `-` is the standard input.
    /// - Throws: ``CommandFault`` when a list can't be read, has no rows, or has damaged ones, which are noted.
    init(paths: [String]) throws {
        var faults = 0
        lists = try paths.map { path in
            var list = List(name: TextFile.name(of: path))
            for row in try WordRow.rows(of: TextFile.read(path), called: list.name, source: list.name) {
                switch row.content {
                case .success(let change): list.rows.append((row.line, change))
                case .failure(let error):
                    Self.note(list, row.line, error.problem)
                    faults += 1
                }
            }
            return list
        }
        try Self.check(faults)
    }

    /// The changes, in order.
    var changes: [WordChange] { lists.flatMap { $0.rows.map(\.change) } }

    /// Notes every row that can't be applied to the words after the lists before it.
    /// - Throws: ``CommandFault`` if there are any: figures without them would be those of another list.
    func check(against words: WordsInForce) throws {
        var words = words
        var faults = 0
        for list in lists {
            for row in list.rows {
                guard let sentence = words.effect(of: row.change).sentenceOfFault(row.change.word) else { continue }
                Self.note(list, row.line, sentence)
                faults += 1
            }
            words.apply(list.rows.map(\.change))
        }
        try Self.check(faults)
    }

    private static func note(_ list: List, _ line: Int, _ problem: String) {
        Output.note("\(list.name.printable), line \(line): \(problem.printable)")
    }

    private static func check(_ faults: Int) throws {
        guard faults > 0 else { return }
        throw CommandFault(.unreadableData, "correct \(faults == 1 ? "this row" : "these rows") and try again")
    }
}

extension WordEffect {
    /// The reason why a change can't be measured; nil if it can, even if it has no effect.
    fileprivate func sentenceOfFault(_ word: PackedASCII) -> String? {
        switch self {
        case .added, .changed, .removed, .same: nil
        case .locked, .reserved, .takenOff, .imitates, .builtInInnocent: sentence(isDryRun: true)
        case .unknown: "'\(word)' is not reserved, so it can't be taken off"
        }
    }
}
