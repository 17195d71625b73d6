import ArgumentParser
import FoundationEssentials
import HandleRegistry
import HandleRules
import HandleWords
import NameFiles

extension WordsCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the changes of reserved words and innocent names, or all that are in force.",
            discussion: """
                The match of a word that was taken off is none. The source of a built-in word or name is built-in. With \
                --all, words of the categories in HANDLES_WORDS_OFF are left out; changes of them are always listed.

                Examples:
                  handles words list
                  handles words list --all --category brands --json
                """)

        @OptionGroup var database: DatabaseOptions
        @Flag(help: "List every word and innocent name in force, not only the changes.") var all = false
        @Option(help: "Only words of this category.") var category: String?
        @Flag(help: "One JSON object a line.") var json = false

        func run() async throws {
            try await CommandEdge.withRegistry(database, as: .reader, json: json) { registry, output in
                let current = try await registry.wordsInForce()
                let inForce = current.entries
                var words = all ? inForce : try await registry.wordChanges()
                if let category { words.removeAll { $0.category != category } }
                try output.rows(
                    words, ["word", "match", "category", "source", "changed", "until", "by", "comment"],
                    soft: ["category", "source", "by", "comment"], cells: \.cells, json: { $0.write($1) })
                let innocent = inForce.count { $0.kind == .innocent }
                try output.note(
                    "\((inForce.count - innocent).grouped) words are reserved, \(innocent.grouped) names are innocent"
                        + (current.countOff > 0
                            ? "; HANDLES_WORDS_OFF leaves out \(current.countOff.grouped) words" : ""))
            }
        }
    }
}

extension WordChange {
    fileprivate var cells: [Table.Cell] {
        [
            Table.Cell(word.description), Table.Cell(kind.rawValue, kind == .removed ? .dim : nil),
            Table.Cell(category), Table.Cell(source), Table.Cell(changedAt.map(Day.text)),
            Table.Cell(until?.lastDay), Table.Cell(actor), Table.Cell(comment),
        ]
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ change: WordChange) {
        object { json in
            json.member("word", change.word.description)
            json.member("match", change.kind.rawValue)
            json.member("category", change.category)
            json.member("source", change.source)
            json.member("comment", change.comment)
            json.member("actor", change.actor.isEmpty ? nil : change.actor)
            json.member("changed_at", change.changedAt?.rfc3339)
            json.member("until", change.until?.rfc3339)
        }
    }
}
