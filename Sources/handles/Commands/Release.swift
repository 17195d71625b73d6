import ArgumentParser
import HandleCore
import HandleRegistry
import HandleText

struct Release: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take names back: a claim goes into quarantine, a hold or reservation is free at once.",
        discussion: """
            Examples:
              handles release johndoe
              handles release acme acme_support --reason "brand sold"
            """)

    @OptionGroup var database: DatabaseOptions
    @Option(help: "Why; kept in the names' history.") var reason: String?
    @Argument(help: ArgumentHelp("The names.", valueName: "name")) var names: [String]

    func validate() throws { try reason?.checkAsReason() }

    func run() async throws {
        try await CommandEdge.withRegistry(database) { registry in
            var output = Output()
            var areAllReleased = true
            for name in names {
                let sentence = try await release(name, registry)
                if sentence == nil { areAllReleased = false }
                try output.line("\(name.printable.padded(to: 16)) \(sentence ?? "nobody has it")")
            }
            try output.flush()
            if !areAllReleased { throw CommandFault.refused }
        }
    }

    private func release(_ name: String, _ registry: Registry) async throws -> String? {
        guard let handle = Reading(typed: name).handle else { return nil }
        let cause = Cause(actor: CommandEdge.actor, reason: reason)
        switch try await registry.perform(HandleRegistry.Release(handle, cause)) {
        case .released(let record), .already(let record):
            guard record.state == .quarantined, let until = record.until else { return "free" }
            return "quarantined until \(until.rfc3339)"
        case .notFound: return nil
        }
    }
}
