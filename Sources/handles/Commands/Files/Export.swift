import ArgumentParser
import HandleRegistry
import NameFiles

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export the registry as NDJSON: names in use and changes of reserved words.",
        discussion: """
            The archive is a snapshot of one moment; the same registry gives the same bytes. --history adds free names \
            that were in use once, and all events of every name. Secrets of holds and access keys are left out. The \
            archive contains the owners' ids: protect it like the database itself.

            Examples:
              handles export > registry.ndjson
              handles export --history | gzip > registry.ndjson.gz
            """)

    @OptionGroup var database: DatabaseOptions
    @Flag(help: "Also write the history of every name, and free names that were in use once.") var history = false

    func run() async throws {
        try await CommandEdge.withRegistry(database, as: .reader) { registry, output in
            let counts = try await registry.export(withHistory: history) { try output.lines($0) }
            let events = history ? ", \(counts.events.grouped) events" : ""
            try output.note("\(counts.names.grouped) names\(events), \(counts.words.grouped) changes of reserved words")
        }
    }
}
