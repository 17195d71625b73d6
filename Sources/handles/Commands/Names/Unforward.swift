import ArgumentParser
import HandleRegistry
import HandleRules
import HandleWords

struct UnforwardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unforward",
        abstract: "End the way from an old name to its former owner's present one.",
        discussion: """
            The old name of a rename with --forward stays in quarantine, and leads nowhere any more. A name that leads \
            nowhere is no error.

            Examples:
              handles unforward johndoe
              handles unforward johndoe --reason "asked for it"
            """)

    @OptionGroup var database: DatabaseOptions
    @Option(help: "Reason; recorded in the name's history.") var reason: String?
    @Flag(help: "The record as a JSON object.") var json = false
    @Argument(help: "The old name.") var name: String

    func validate() throws { try reason?.checkAsReason() }

    func run() async throws {
        try await CommandEdge.withRegistry(database, as: .reader, json: json) { registry, output in
            guard let handle = Reading(typed: name).handle else {
                throw CommandFault(.refused, "\(name.printable) is not a name that could lead anywhere")
            }
            let change = EndForward(handle, Cause(by: CommandEdge.actor, reason: reason))
            let outcome = try await registry.perform(change)
            switch outcome {
            case .done(let record), .already(let record):
                let sentence = outcome.isDone ? "leads nowhere now" : "leads nowhere"
                try output.result("\(record.display) \(sentence)") { $0.write(record, for: .keyHolders) }
            case .refused(.notClaimed): throw CommandFault(.refused, "\(handle) is free")
            case .refused(let refusal): throw CommandFault(.refused, "\(handle) \(refusal.sentence)")
            }
        }
    }
}
