import ArgumentParser
import Foundation
import HandleCore
import HandleRegistry
import HandleText

struct Words: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look after the reserved words.",
        discussion: """
            The program carries a list; these commands change it in the database. Running services take a change in
            within two seconds. Whoever has a name already keeps it.
            """,
        subcommands: [List.self, Add.self, Remove.self, Test.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List what has been changed: word, match, category and comment, with tabs between them.",
            discussion: """
                Examples:
                  handles words list
                  handles words list --data /var/lib/handles
                """)

        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            try await CommandEdge.withRegistry(database) { registry in
                var output = Output()
                for change in try await registry.wordChanges() {
                    let fields = [
                        change.word.description, change.match?.rawValue ?? "none", change.category, change.comment,
                    ]
                    try output.line(fields.map(\.printable).joined(separator: "\t"))
                }
                try output.flush()
                Output.note("\(registry.words.count) words are reserved")
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Reserve words, or change how far they reach.",
            discussion: """
                Examples:
                  handles words add acme --category brands
                  handles words add launch --category product --match exact --comment "until the launch"
                """)

        @OptionGroup var database: DatabaseOptions
        @Option(help: "The group of words that they belong to.") var category: String
        @Option(help: "How far they reach: exact, lookalike or affix.") var match = ReservedWord.Match.lookalike
        @Option(help: "Why.") var comment = ""
        @Argument(help: ArgumentHelp("The words.", valueName: "word")) var words: [String]

        func validate() throws {
            guard !category.trimmed.isEmpty else { throw ValidationError("--category needs a word.") }
            for word in words where ReservedWord.spelling(of: word) == nil {
                throw ValidationError("'\(word.printable)' is no word: it has 2 to 15 of a–z, 0–9 and _.")
            }
        }

        func run() async throws {
            try await CommandEdge.withRegistry(database) { registry in
                try await report(words) { word in
                    try await registry.addWord(
                        WordChange(
                            word: word, category: category, match: match, comment: comment, actor: NSUserName()))
                }
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take words off; those of the locked core stay.",
            discussion: """
                Examples:
                  handles words remove acme
                  handles words remove blog --comment "we have no blog"
                """)

        @OptionGroup var database: DatabaseOptions
        @Option(help: "Why.") var comment = ""
        @Argument(help: ArgumentHelp("The words.", valueName: "word")) var words: [String]

        func run() async throws {
            try await CommandEdge.withRegistry(database) { registry in
                try await report(words) { word in
                    try await registry.removeWord(word, actor: NSUserName(), comment: comment)
                }
            }
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say which reserved word stands in the way of a name.",
            discussion: """
                Examples:
                  handles words test adm1n
                  handles words test real_support johndoe
                """)

        @OptionGroup var database: DatabaseOptions
        @Argument(help: ArgumentHelp("The names.", valueName: "name")) var names: [String]

        func run() async throws {
            try await CommandEdge.withRegistry(database) { registry in
                var output = Output()
                var areAllFree = true
                for name in names {
                    let word = Reading(typed: name).letters.flatMap(registry.words.match)
                    if word != nil { areAllFree = false }
                    let verdict = word.map { "\($0.word) (\($0.category), \($0.match.rawValue))" } ?? "no reserved word"
                    try output.line("\(name.printable.padded(to: 16)) \(verdict)")
                }
                try output.flush()
                if !areAllFree { throw CommandFault.refused }
            }
        }
    }
}

extension ReservedWord.Match: ExpressibleByArgument {}

/// Changes each word and says what became of it.
private func report(_ words: [String], _ change: (PackedASCII) async throws -> WordOutcome) async throws {
    var output = Output()
    var areAllChanged = true
    for text in words {
        let outcome: WordOutcome =
            if let word = ReservedWord.spelling(of: text) { try await change(word) } else { .notFound }
        if outcome != .changed { areAllChanged = false }
        let result =
            switch outcome {
            case .changed: "changed"
            case .locked(let word): "locked: '\(word.word)' is of the core list (\(word.category)) and stays as it is"
            case .notFound: "no such reserved word"
            }
        try output.line("\(text.printable.padded(to: 16)) \(result)")
    }
    try output.flush()
    if !areAllChanged { throw CommandFault.refused }
}
