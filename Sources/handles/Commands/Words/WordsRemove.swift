import ArgumentParser
import HandleRegistry
import HandleRules
import HandleWords

extension WordsCommand {
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Take reserved words or innocent names off; the locked core list stays.",
            discussion: """
                A preview shows the names in use and the common names of people that would no longer be refused. Without \
                an innocent name they may be newly refused; then the change needs a confirmation: an answer at the \
                terminal, or --yes.

                Examples:
                  handles words remove --dry-run acme
                  handles words remove blog --comment "we have no blog"
                """)

        @OptionGroup var database: DatabaseOptions
        @Option(help: "Comment; stored with the change.") var comment = ""
        @Flag(help: "Show the preview and change nothing.") var dryRun = false
        @Flag(help: "Skip the confirmation.") var yes = false
        @Argument(help: ArgumentHelp("The words or innocent names.", valueName: "word")) var words: [String]

        func validate() throws { try comment.checkAsText(of: "--comment") }

        func run() async throws {
            try await CommandEdge.withRegistry(database, as: dryRun ? .reader : .writer) { registry, output in
                let review = WordReview(registry: registry, isDryRun: dryRun, isConfirmed: yes)
                let made = try await review.put { inForce in
                    words.spelledWords.map { word in
                        WordChange(
                            word: word, category: inForce[word]?.category ?? "", kind: .removed, comment: comment,
                            actor: CommandEdge.actor.name)
                    }
                }
                let effects = Dictionary(uniqueKeysWithValues: made.map { ($0.change.word, $0.effect) })
                for text in words {
                    var effect = ReservedWord.spelling(of: text).flatMap { effects[$0] } ?? .unknown
                    if effect == .same { effect = .unknown }
                    if effect != .removed { output.hasRefused = true }
                    try output.line("\(text.printable.padded(to: 16)) \(effect.sentence(isDryRun: dryRun))")
                }
            }
        }
    }
}
