import ArgumentParser
import Foundation
import HandleRegistry
import HandleRules
package import HandleWords

extension WordsCommand {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Add reserved words or innocent names, or change how far words reach.",
            discussion: """
                A preview shows the names in use and the common names of people that would be newly refused, or no \
                longer. If names would be refused, the change needs a confirmation: an answer at the terminal, or \
                --yes. A name that is claimed already stays with its owner.

                An innocent name is refused only if it is a word itself, and not for its likeness to a word. A change \
                replaces what was there of the same letters; handles words remove takes words and innocent names off.

                Examples:
                  handles words add --dry-run acme --category brands --match affix
                  handles words add abbiemoore --match innocent --comment "a customer's name"
                  handles words add launch --category product --until 2027-12-31
                """)

        @OptionGroup var database: DatabaseOptions
        @Option(help: ArgumentHelp("Category of the words; innocent names need none.", valueName: "category"))
        var category: String?
        @Option(
            help: """
                How far the words reach: exact, lookalike, authority (also official_WORD and WORD_team; a \
                word of up to four letters matches only itself and, across an underscore, these), affix (also with a \
                letter doubled, a number or any affix), whole (the word of 3 to 15 letters, with \
                digits for letters or a number behind it), inside (also names that contain it), or innocent.
                """)
        var match = WordKind.word(.lookalike)
        @Option(help: "Comment; stored with the words.") var comment = ""
        @Option(help: ArgumentHelp("Last day (UTC) on which the change counts.", valueName: "YYYY-MM-DD"))
        var until: String?
        @Flag(help: "Show the preview and change nothing.") var dryRun = false
        @Flag(help: "Skip the confirmation.") var yes = false
        @Argument(help: ArgumentHelp("The words.", valueName: "word")) var words: [String]

        func validate() throws {
            guard category != nil || match == .innocent else {
                throw ValidationError("Missing expected argument '--category <category>'")
            }
            guard category.map({ !$0.trimmed.isEmpty }) ?? true else {
                throw ValidationError("--category needs a word.")
            }
            try category?.checkAsText(of: "--category")
            try comment.checkAsText(of: "--comment")
            try words.checkAsWords()
            if let match = match.match, let word = words.spelledWords.first(where: { !match.fits($0) }) {
                throw ValidationError(
                    "'\(word)' can't have the match \(match.rawValue): such a word is \(ReservedWord.Match.ruleByLetters)."
                )
            }
            _ = try end()
        }

        func run() async throws {
            let end = try end()
            try await CommandEdge.withRegistry(database, as: dryRun ? .reader : .writer) { registry, output in
                let changes = words.spelledWords.map { word in
                    WordChange(
                        word: word, category: category ?? WordChange.innocentCategory, kind: match, comment: comment,
                        actor: CommandEdge.actor.name, until: end)
                }
                let review = WordReview(registry: registry, isDryRun: dryRun, isConfirmed: yes)
                for (change, effect) in try await review.put({ _ in changes }) {
                    try output.line("\(change.word.description.padded(to: 16)) \(effect.sentence(isDryRun: dryRun))")
                    if effect.isRefused { output.hasRefused = true }
                }
            }
        }

        private func end() throws -> Date? { try until.map { try LastDay.parse($0, option: "--until") } }
    }
}

extension WordKind: ExpressibleByArgument {
    /// `handles words remove` takes words off.
    private static var added: [WordKind] { allCases.filter { $0 != .removed } }

    package init?(argument: String) {
        guard let kind = Self.added.first(where: { $0.rawValue == argument }) else { return nil }
        self = kind
    }

    package static var allValueStrings: [String] { added.map(\.rawValue) }
}
