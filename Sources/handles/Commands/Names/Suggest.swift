import ArgumentParser
import HandleRegistry
import HandleRules

struct SuggestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suggest",
        abstract: "Suggest names that are free.",
        discussion: """
            Examples:
              handles suggest johndoe
              handles suggest jd --name "John Doe" --count 10
            """)

    @OptionGroup var database: DatabaseOptions
    @Option(help: "The person's name, in any script.") var name: String?
    @Option(parsing: .unconditional, help: "Number of suggestions, 0 to 20.") var count = Registry.usualSuggestions
    @Option(parsing: .unconditional, help: "A number that makes the suggestions repeatable.") var seed: UInt64?
    @Flag(help: "One JSON object a line.") var json = false
    @Argument(help: ArgumentHelp("The wanted name.", valueName: "name")) var wanted: String

    func validate() throws {
        guard Registry.suggestionRange.contains(count) else {
            throw ValidationError("--count is a number from 0 to \(Registry.suggestionRange.upperBound).")
        }
    }

    func run() async throws {
        try await CommandEdge.withRegistry(database, as: .reader, json: json) { registry, output in
            let suggestions = try await registry.suggestions(
                for: wanted, name: name, count: count, seed: seed)
            for suggestion in suggestions {
                try output.result(
                    suggestion.display.description.padded(to: 16) + " " + suggestion.method.rawValue
                ) { $0.write(suggestion) }
            }
        }
    }
}
