import ArgumentParser
import HandleCore
import HandleRegistry

struct Validate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a file of names against the rules and the reserved words.",
        discussion: """
            One name a line. Writes the lines that are refused: line number, name and the codes of the reasons, with \
            tabs between them. Needs no database; whether a name is taken is not looked up.

            Examples:
              handles validate users.txt
              cut -d, -f2 users.csv | handles validate --json -
            """)

    @Flag(help: "One JSON object for every line, also for those that are fine.") var json = false
    @Argument(help: ArgumentHelp("The file; - is the standard input.", valueName: "file")) var file = "-"

    func run() async throws {
        try await CommandEdge.run {
            let words = try ReservedWords.builtIn()
            var output = Output()
            var line = 0
            var refused = 0
            try LineReader(path: file).forEach { bytes in
                line += 1
                guard let input = String(validating: bytes, as: UTF8.self) else {
                    throw CommandFault(.unreadableData, "\(file), line \(line): not UTF-8; convert the file with iconv")
                }
                let decision = Decision.decide(input, words: words)
                if !decision.isAvailable { refused += 1 }
                if json {
                    try output.json { $0.write(decision, suggestions: nil, for: .keyHolders) }
                } else if !decision.isAvailable {
                    let codes = decision.reasons.map(\.code.rawValue).joined(separator: ",")
                    try output.line("\(line)\t\(input.printable)\t\(codes)")
                }
            }
            try output.flush()
            Output.note("\(line) names: \(line - refused) fine, \(refused) refused")
            if refused > 0 { throw CommandFault.refused }
        }
    }
}
