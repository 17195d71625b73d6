import ArgumentParser
import HandleRegistry

struct Claim: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give a name to an owner.",
        discussion: """
            To claim a name again for the same owner is no error.

            Examples:
              handles claim JohnDoe --for user-123
              handles claim acme --for org-7 --json
              handles claim acrne --for org-9 --allow-lookalike --reason "checked their papers"
            """)

    @OptionGroup var database: DatabaseOptions
    @Option(
        name: [.customLong("for"), .customLong("owner")],
        help: ArgumentHelp("The owner's id, of your own making.", valueName: "owner"))
    var owner: String
    @Option(help: "Why; kept in the name's history.") var reason: String?
    @Flag(help: "Allow the name although it looks like a protected one; needs --reason.") var allowLookalike = false
    @Flag(help: "The result as a JSON object.") var json = false
    @Argument(help: "The name; its capitals become the display handle.") var name: String

    func validate() throws {
        guard Owner(owner) != nil else { throw ValidationError("--for is \(Owner.rule).") }
        try reason?.checkAsReason()
        guard !allowLookalike || reason != nil else { throw ValidationError("--allow-lookalike needs --reason.") }
    }

    func run() async throws {
        guard let owner = Owner(owner) else { return }
        try await CommandEdge.withRegistry(database) { registry in
            var output = Output()
            let claim = HandleRegistry.Claim(
                name, for: owner, allowingLookalike: allowLookalike, Cause(actor: CommandEdge.actor, reason: reason))
            switch try await registry.perform(claim) {
            case .taken(let record), .already(let record):
                if json {
                    try output.json { $0.write(record, for: .keyHolders) }
                } else {
                    try output.line("\(record.display) claimed for \(owner.id.printable)")
                }
                try output.flush()
            case .refused(let decision):
                if json {
                    try output.json { $0.write(decision, suggestions: nil, for: .keyHolders) }
                    try output.flush()
                }
                let why = decision.reasons.map(\.sentenceForAdmins).joined(separator: " ")
                throw CommandFault(.refused, "\(name.printable): \(why)")
            }
        }
    }
}
