import HandleRegistry
import HandleRules
import HandleWords
import NameFiles

/// Maximum number of rows of a list, because every instance of the service keeps all words in memory.
private let mostRows = 100_000

/// A row of a word list.
struct WordRow: Sendable {
    /// Line in the file, from 1.
    let line: Int
    /// The first field, which should be the word.
    let text: String
    let content: Result<WordChange, ReservedWord.ListError>

    /// The rows of a file, without empty lines, comments and a header.
    /// - Parameters:
    ///   - name: name of the file in messages.
    ///   - source: name of the list in the changes.
    static func rows(of text: String, called name: String, source: String) throws -> [WordRow] {
        // Once, because it is looked up among the users of the machine.
        let actor = CommandEdge.actor.name
        var rows: [WordRow] = []
        var seen: Set<PackedASCII> = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            if line.first == "#" || line.allSatisfy(\.isWhitespace) { continue }
            let fields = fields(of: line)
            if rows.isEmpty, fields.prefix(2).map({ $0.lowercased() }) == ["word", "category"] { continue }
            let row = WordRow(line: index + 1, fields, &seen, (source, actor))
            rows.append(row)
            guard rows.count <= mostRows else {
                throw CommandFault(.unreadableData, "\(name) has more than \(mostRows.grouped) words")
            }
        }
        guard !rows.isEmpty else {
            throw CommandFault(
                .unreadableData,
                "\(name) has no words: write one a line, as word, category and match between tabs")
        }
        return rows
    }

    /// - Parameter seen: words of the earlier rows.
    private init(
        line: Int, _ fields: [String], _ seen: inout Set<PackedASCII>, _ origin: (source: String, actor: String)
    ) {
        self.line = line
        text = fields.first ?? ""
        do throws(ReservedWord.ListError) {
            let parsed = try WordLine(fields: fields.map { Array($0.utf8)[...] }, number: line)
            guard !fields.joined().unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
                throw ReservedWord.ListError(line: line, problem: "the category or comment has control characters")
            }
            guard seen.insert(parsed.word).inserted else {
                throw ReservedWord.ListError(line: line, problem: "the word is there twice")
            }
            content = .success(WordChange(parsed, source: origin.source, actor: origin.actor))
        } catch {
            content = .failure(error)
        }
    }

    /// The fields of a line without white space and invisible characters around them. They are separated by tabs, or by
    /// the first other sign that leaves a word, and two fields or more after it.
    private static func fields(of line: Substring) -> [String] {
        if line.contains("\t") {
            return line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0).trimmingUnseen }
        }
        let found = [",", ";", "|"].lazy.map { fields(of: line, separator: $0) }.first { fields in
            fields.count > 2 && !fields[0].contains(where: ",;|".contains)
        }
        return found ?? fields(of: line, separator: ",")
    }

    /// Separators inside quotes are text.
    private static func fields(of line: Substring, separator: Character) -> [String] {
        var fields: [String] = []
        var field = ""
        var isQuoted = false
        var wasQuote = false
        for character in line {
            switch character {
            case separator where !isQuoted:
                fields.append(field)
                field = ""
            case "\"":
                // Inside quotes, two quotes stand for one.
                if wasQuote, !isQuoted { field.append(character) }
                isQuoted.toggle()
            default: field.append(character)
            }
            wasQuote = character == "\"" && !isQuoted
        }
        fields.append(field)
        return fields.map(\.trimmingUnseen)
    }
}
