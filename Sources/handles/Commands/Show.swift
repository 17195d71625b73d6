import ArgumentParser
import HandleCore
import HandleRegistry
import HandleText

struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show who has a name, and since when.",
        discussion: """
            Examples:
              handles show johndoe
              handles show --json johndoe
            """)

    @OptionGroup var database: DatabaseOptions
    @Flag(help: "The record as a JSON object.") var json = false
    @Argument(help: "The name.") var name: String

    func run() async throws {
        try await CommandEdge.withRegistry(database) { registry in
            let reading = Reading(typed: name)
            guard let handle = reading.handle else {
                throw CommandFault(.refused, reading.reasons.map(\.message).joined(separator: " "))
            }
            guard let record = try await registry.record(of: handle) else {
                throw CommandFault(.refused, "nobody has \(handle)")
            }
            var output = Output()
            if json {
                try output.json { $0.write(record, for: .keyHolders) }
            } else {
                for (label, value) in record.lines { try output.line(label.padded(to: 10) + value.printable) }
            }
            try output.flush()
        }
    }
}

extension Record {
    fileprivate var lines: [(String, String)] {
        let lines: [(String, String?)] = [
            ("handle", handle.description), ("display", display.description), ("state", state.rawValue),
            ("owner", owner?.id), ("reason", reason), ("since", changedAt.rfc3339), ("until", until?.rfc3339),
            ("version", String(version)),
        ]
        return lines.compactMap { label, value in value.map { (label, $0) } }
    }
}
