import ArgumentParser
import HandleRegistry
import HandleRules

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check whether names are available.",
        discussion: """
            Examples:
              handles check JohnDoe
              handles check --json john jane jack
            """)

    @OptionGroup var database: DatabaseOptions
    @Flag(help: "One JSON object a line.") var json = false
    @Argument(help: ArgumentHelp("The names, in any capitals, with or without @.", valueName: "name")) var names:
        [String]

    func run() async throws {
        try await CommandEdge.withRegistry(database, as: .reader, json: json) { registry, output in
            // In batches of the size that the registry accepts.
            for start in stride(from: 0, to: names.count, by: Registry.longestBatch) {
                let batch = Array(names[start..<min(names.count, start + Registry.longestBatch)])
                for (name, decision) in zip(batch, try await registry.decisions(about: batch)) {
                    try output.result(decision.sentence(about: name)) {
                        $0.write(decision, about: name, suggestions: nil, for: .keyHolders)
                    }
                    if !decision.isAvailable { output.hasRefused = true }
                }
            }
        }
    }
}

extension Decision {
    /// One line for people: the name as typed, the status, and how to change the name.
    fileprivate func sentence(about input: String) -> String {
        let messages = reasons.map(\.message).joined(separator: " ")
        let line = input.printable.padded(to: 16) + " " + status.rawValue.padded(to: 12) + " " + messages
        return line.trimmed
    }
}
