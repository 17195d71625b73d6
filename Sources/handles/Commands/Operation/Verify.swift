import ArgumentParser
import HandleRegistry

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check the history of every name against the registry's present state.",
        discussion: """
            Each event has a hash of itself and of the event before it. A changed, removed or inserted event breaks \
            the chain. A name that was changed outside the registry differs from its last event.

            Data that follow from names and events are checked too: the look-alike keys, and the counts and lists of \
            owners.

            Kinds: no_history, no_name, broken_chain, gap, differs, unprotected, stray, unlisted (of a name), \
            miscounted (of an owner).

            Examples:
              handles verify
              handles verify --json
            """)

    @OptionGroup var database: DatabaseOptions
    @Flag(help: "One JSON object a line.") var json = false

    func run() async throws {
        try await CommandEdge.withRegistry(database, as: .reader, json: json) { registry, output in
            var found = 0
            let events = try await registry.verify { discrepancy in
                found += 1
                let version = discrepancy.version.map { " version \($0)" } ?? ""
                try output.result("\(discrepancy.subject.padded(to: 16)) \(discrepancy.kind.rawValue)\(version)") {
                    $0.write(discrepancy)
                }
            }
            output.hasRefused = found > 0
            try output.note("\(events) events checked, \(found == 0 ? "all is well" : "\(found) discrepancies")")
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
