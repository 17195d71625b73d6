import ArgumentParser
import HandleRegistry

struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check that the history of every name is whole and leads to what the registry says now.",
        discussion: """
            Each event has a hash of itself and of the one before. An event that was changed, taken out or added later
            breaks the chain; a name that was changed behind the registry's back differs from its last event.

            What follows from names and events is looked at too: the look-alike keys, and what is noted of owners.

            Kinds: no_history, no_name, broken_chain, gap, differs, unprotected, stray, unlisted (for a name), miscounted \
            (for an owner).

            Examples:
              handles verify
              handles verify --json
            """)

    @OptionGroup var database: DatabaseOptions
    @Flag(help: "One JSON object a line.") var json = false

    func run() async throws {
        try await CommandEdge.withRegistry(database) { registry in
            var output = Output()
            var found = 0
            let events = try await registry.verify { discrepancy in
                found += 1
                guard !json else { return try output.json { $0.write(discrepancy) } }
                let version = discrepancy.version.map { " version \($0)" } ?? ""
                try output.line("\(discrepancy.subject.padded(to: 16)) \(discrepancy.kind.rawValue)\(version)")
            }
            try output.flush()
            Output.note("\(events) events checked, \(found == 0 ? "all is well" : "\(found) discrepancies")")
            if found > 0 { throw CommandFault.refused }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ discrepancy: Discrepancy) {
        object { json in
            json.member("subject", discrepancy.subject)
            json.member("kind", discrepancy.kind.rawValue)
            if let version = discrepancy.version { json.member("version", version) }
        }
    }
}
