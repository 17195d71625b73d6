import ArgumentParser
import Foundation
import HandleCore
import HandleRegistry

extension Words {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add reserved words, or change how they match.",
            discussion: """
                A preview shows the names in use and the common names of people that would be newly refused, or no \
                longer. handles words measure previews a change with the names of a file. If names would be refused, \
                the change needs a confirmation: an answer at the terminal, or --yes. A name that is claimed already \
                stays with its owner.

                Examples:
                  handles words add acme --category brands --match affix --dry-run
                  handles words add launch --category product --match exact --until 2027-12-31 --comment "the launch"
                """)

        @OptionGroup var database: DatabaseOptions
        @Option(help: "Category of the words.") var category: String
        @Option(help: "Match: exact, lookalike or affix.") var match = ReservedWord.Match.lookalike
        @Option(help: "Comment; stored with the words.") var comment = ""
        @Option(help: ArgumentHelp("Last day (UTC) on which they are reserved.", valueName: "YYYY-MM-DD"))
        var until: String?
        @Flag(help: "Show the preview and change nothing.") var dryRun = false
        @Flag(help: "Skip the confirmation.") var yes = false
        @Argument(help: ArgumentHelp("The words.", valueName: "word")) var words: [String]

        func validate() throws {
            guard !category.trimmed.isEmpty else { throw ValidationError("--category needs a word.") }
            try category.checkAsText(of: "--category")
            try comment.checkAsText(of: "--comment")
            try words.checkAsWords()
            _ = try end()
        }

        func run() async throws {
            let end = try end()
            try await CommandEdge.withRegistry(database) { registry in
                var seen: Set<PackedASCII> = []
                let changes = words.compactMap { ReservedWord.spelling(of: $0) }.filter { seen.insert($0).inserted }
                    .map { word in
                        WordChange(
                            word: word, category: category, match: match, comment: comment,
                            actor: CommandEdge.actor.name,
                            until: end)
                    }
                let review = WordReview(registry: registry, isDryRun: dryRun, isConfirmed: yes)
                let effects = try await review.put(changes)
                var output = Output()
                for (change, effect) in zip(changes, effects) {
                    try output.line("\(change.word.description.padded(to: 16)) \(effect.sentence(isDryRun: dryRun))")
                }
                try output.flush()
                if effects.contains(where: \.isLocked) { throw CommandFault.refused }
            }
        }

        private func end() throws -> Date? { try until.map { try LastDay.parse($0, option: "--until") } }
    }
}
