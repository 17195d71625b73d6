import ArgumentParser
import HandleRegistry
import HandleRules
import HandleWords

extension WordsCommand {
    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test",
            abstract: "Show the reserved word that blocks a name, the way in which it matches, and its source.",
            discussion: """
                A name is the word (spelled), looks like it (looks), has one letter of it doubled or left single \
                (doubled), or is the word with something before or after it (affix; authority for words that match only \
                with such as official or team). Offensive words match with digits for letters or a number (whole), and most \
                of them in any name that contains them (inside). Innocent names are no reserved words, and are marked.

                Examples:
                  handles words test adm1n
                  handles words test real_support johndoe
                """)

        @OptionGroup var database: DatabaseOptions
        @Argument(help: ArgumentHelp("The names.", valueName: "name")) var names: [String]

        func run() async throws {
            try await CommandEdge.withRegistry(database, as: .reader) { registry, output in
                let inForce = try await registry.wordsInForce()
                let table = inForce.tables
                for name in names {
                    var verdict = "no reserved word"
                    if let letters = Reading(typed: name).letters {
                        if let word = table.match(letters) {
                            output.hasRefused = true
                            let way = ReservedWords.resemblance(of: letters, to: word)
                            verdict =
                                "\(word.word) (\(way.sentence), \(word.category))\(inForce[word.word]?.origin ?? "")"
                        } else if let entry = inForce[letters] {
                            verdict += entry.kind == .innocent ? " (an innocent name)" : " (HANDLES_WORDS_OFF)"
                            verdict += entry.origin
                        }
                    }
                    try output.line("\(name.printable.padded(to: 16)) \(verdict)")
                }
            }
        }
    }
}

extension ReservedWord.Resemblance {
    /// How a name matches the word.
    fileprivate var sentence: String {
        switch self {
        case .spelled: "spelled: the word itself"
        case .looks: "looks: like the word to the eye"
        case .doubled: "doubled: one letter doubled or left single"
        case .authority: "authority: with something that claims authority before or after it"
        case .affix: "affix: with something before or after it"
        case .whole: "whole: with digits for letters, underscores, or a number behind it"
        case .inside: "inside: it contains the word"
        }
    }
}

extension WordChange {
    /// ` from built-in: HTTP authentication`
    fileprivate var origin: String {
        " from \(source.printable)" + (comment.isEmpty ? "" : ": \(comment.printable)")
    }
}
