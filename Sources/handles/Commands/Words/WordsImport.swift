import ArgumentParser
import HandleRegistry
import HandleRules
import HandleWords
import NameFiles

extension WordsCommand {
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Import a list of changes of the reserved words; importing it again changes nothing.",
            discussion: """
                The list has one word a line: word, category, match and an optional comment, separated by tabs, \
                commas, semicolons or vertical bars. The match is one of those of handles words add, or none, which takes off a word or an innocent \
                name that was added. The categories of such rows and of innocent names don't matter. Lines that begin \
                with # are skipped. The result of every row is written. Unreadable rows are skipped, and then the exit \
                status is 1. Words that a newer list no longer has stay reserved, unless a row takes them off.

                A preview shows the names in use and the common names of people that would be newly refused, or no \
                longer. If names would be refused, \
                the change needs a confirmation: an answer at the terminal, or --yes. A name that is claimed already \
                stays with its owner.

                Examples:
                  handles words import --dry-run brands.tsv --source brands-2027
                  sort -u brands.tsv more.tsv | handles words import - --source brands --yes
                """)

        @OptionGroup var database: DatabaseOptions
        @Option(help: "Name of the list; stored with the words.") var source: String
        @Flag(help: "Show the result of each row and the preview, and change nothing.") var dryRun =
            false
        @Flag(help: "Skip the confirmation.") var yes = false
        @Argument(help: ArgumentHelp("The list; - is the standard input.", valueName: "file"), completion: .file())
        var file: String

        func validate() throws {
            guard !source.trimmed.isEmpty, source != WordChange.builtIn else {
                throw ValidationError("--source is the name of the list, other than \(WordChange.builtIn).")
            }
            try source.checkAsText(of: "--source")
        }

        func run() async throws {
            var rows: [WordRow] = []
            // Before the database is opened, so that an unreadable list fails without one.
            try await CommandEdge.report {
                rows = try WordRow.rows(
                    of: TextFile.read(file, isList: true), called: TextFile.name(of: file), source: source)
            }
            try await CommandEdge.withRegistry(database, as: dryRun ? .reader : .writer) { [rows] registry, output in
                let changes = rows.compactMap { try? $0.content.get() }
                let review = WordReview(registry: registry, isDryRun: dryRun, isConfirmed: yes)
                let effects = try await review.put { _ in changes }.map(\.effect)
                try report(rows, effects, &output)
            }
        }

        /// - Parameter effects: effects of the readable rows, in order.
        private func report(_ rows: [WordRow], _ effects: [WordEffect], _ output: inout Output) throws {
            var rest = effects[...]
            var refused = 0
            for row in rows {
                let (word, result): (String, String)
                switch row.content {
                case .success(let change):
                    let effect = rest.removeFirst()
                    if effect.isRefused { refused += 1 }
                    (word, result) = (change.word.description, effect.sentence(isDryRun: dryRun))
                case .failure(let error):
                    refused += 1
                    (word, result) = (row.text, "invalid: \(error.problem)")
                }
                try output.line("\("\(row.line)".padded(to: 6)) \(word.printable.padded(to: 16)) \(result.printable)")
            }
            func count(_ effect: WordEffect) -> String { effects.count { $0 == effect }.grouped }
            let would = dryRun ? "would be " : ""
            output.hasRefused = refused > 0
            try output.note(
                "\(count(.added)) \(would)added, \(count(.changed)) \(would)changed, \(count(.removed)) \(would)removed, "
                    + "\(count(.same)) the same, "
                    + "\(refused.grouped) refused")
        }
    }
}
