import ArgumentParser
import HandleCore
import HandleRegistry

extension Words {
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove reserved words; the locked core list stays.",
            discussion: """
                Examples:
                  handles words remove acme
                  handles words remove blog --comment "we have no blog"
                """)

        @OptionGroup var database: DatabaseOptions
        @Option(help: "Comment; stored with the change.") var comment = ""
        @Argument(help: ArgumentHelp("The words.", valueName: "word")) var words: [String]

        func validate() throws { try comment.checkAsText(of: "--comment") }

        func run() async throws {
            try await CommandEdge.withRegistry(database) { registry in
                var output = Output()
                var areAllRemoved = true
                for text in words {
                    let effect: WordEffect =
                        if let word = ReservedWord.spelling(of: text) {
                            try await registry.removeWord(word, actor: CommandEdge.actor.name, comment: comment)
                        } else {
                            .same
                        }
                    if effect != .removed { areAllRemoved = false }
                    let result = effect == .same ? "no such reserved word" : effect.sentence(isDryRun: false)
                    try output.line("\(text.printable.padded(to: 16)) \(result)")
                }
                try output.flush()
                if !areAllRemoved { throw CommandFault.refused }
            }
        }
    }
}
