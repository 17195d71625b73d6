import ArgumentParser
import HandleRules
import HandleWords

struct WordsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "words",
        abstract: "Manage the reserved words.",
        discussion: """
            The program has a built-in list; these commands change it in the database. Running services apply a change \
            within two seconds. A name that is claimed already stays with its owner.

            Examples:
              handles words test real_support
              handles words add --dry-run acme --category brands --match affix
              handles words add abbiemoore --match innocent
            """,
        subcommands: [List.self, Add.self, Remove.self, Import.self, Test.self])
}

extension String {
    /// Refuses text that can't be stored as a category or comment.
    /// - Parameter option: the option in the message, such as `--comment`.
    func checkAsText(of option: String) throws {
        guard !unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw ValidationError("\(option) is a few words in one line.")
        }
    }
}

extension [String] {
    /// The valid words, each once.
    var spelledWords: [PackedASCII] {
        var seen: Set<PackedASCII> = []
        return compactMap { ReservedWord.spelling(of: $0) }.filter { seen.insert($0).inserted }
    }

    /// Refuses a text that is not a valid word.
    func checkAsWords() throws {
        for word in self where ReservedWord.spelling(of: word) == nil {
            throw ValidationError("'\(word.printable)' is not a word: a word has \(ReservedWord.rule).")
        }
    }
}
