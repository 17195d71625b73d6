import ArgumentParser
import HandleRegistry

struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write the whole registry as NDJSON: the names in use, and what was changed about reserved words.",
        discussion: """
            All is as it was at one moment, and the same registry makes the same bytes. With --history there are also the \
            names that nobody has any more, and everything that happened to every name. Secrets of holds and access keys \
            are left out. The ids of owners are in it: keep it like the database itself.

            Examples:
              handles export > registry.ndjson
              handles export --history | gzip > registry.ndjson.gz
            """)

    @OptionGroup var database: DatabaseOptions
    @Flag(help: "Also write what happened to every name, and names that nobody has any more.") var history = false

    func run() async throws {
        try await CommandEdge.withRegistry(database) { registry in
            var output = Output()
            let counts = try await registry.export(withHistory: history) { try output.lines($0) }
            try output.flush()
            let events = history ? ", \(counts.events.grouped) events" : ""
            Output.note("\(counts.names.grouped) names\(events), \(counts.words.grouped) changes of reserved words")
        }
    }
}
