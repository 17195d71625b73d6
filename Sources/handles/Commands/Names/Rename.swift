import ArgumentParser
import HandleRegistry
import HandleRules
import HandleWords

struct RenameCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Replace an owner's name with another one.",
        discussion: """
            The old name goes into quarantine: for a time only its former owner can claim it. With --take it is \
            reserved instead, so that the owner can't go back. Both need a confirmation: an answer at the terminal, or \
            --yes. A change of capitals is always allowed.

            Examples:
              handles rename johndoe JohnnyDoe --owner user-123
              handles rename johndoe JohnnyDoe --owner user-123 --reason married --yes
              handles rename johndoe JOHNDOE --owner user-123
              handles rename --dry-run johndoe JohnnyDoe --owner user-123
              handles rename acme_support user_8201 --owner user-8 --take --reason impersonation
            """)

    @OptionGroup var database: DatabaseOptions
    @Option(
        name: [.customLong("owner"), .customLong("for")],
        help: ArgumentHelp("The owner's id.", valueName: "owner"))
    var owner: String
    @Option(help: "Reason; recorded in the names' history.") var reason: String?
    @Flag(help: "Reserve the old name, so that the owner can't go back; needs --reason.") var take = false
    @Flag(help: "Skip the confirmation.") var yes = false
    @Flag(help: "Print the result without changing anything; ask nothing.") var dryRun = false
    @Flag(help: "The result as a JSON object.") var json = false
    @Argument(help: "The current name.") var old: String
    @Argument(help: "The new name; its capitals become the display handle.") var new: String

    func validate() throws {
        guard Owner(owner) != nil else { throw ValidationError("--owner is \(Owner.rule).") }
        try reason?.checkAsReason()
        guard !take || reason != nil else { throw ValidationError("--take needs --reason: give a few words.") }
    }

    func run() async throws {
        guard let owner = Owner(owner) else { return }
        try await CommandEdge.withRegistry(database, as: .reader, json: json) { registry, output in
            guard let handle = Reading(typed: old).handle else {
                throw CommandFault(.refused, "\(old.printable): \(owner.id.printable) does not have it")
            }
            if !dryRun { try await confirm(handle, registry) }
            let rename = Rename(
                handle, to: new, for: owner, takingBecause: take ? reason : nil,
                Cause(by: CommandEdge.actor, reason: reason))
            let outcome = try await registry.perform(rename, in: dryRun ? DryRun(registry) : nil)
            switch outcome {
            case .done(let record), .already(let record):
                try output.result("\(record.display) \(outcome.sentence(of: owner, isDryRun: dryRun))") {
                    $0.write(record, for: .keyHolders)
                }
            case .refused(.notOwner), .refused(.notClaimed), .refused(.changed):
                throw CommandFault(.refused, "\(handle): \(owner.id.printable) does not have it")
            case .refused(let refusal): throw CommandFault(.refused, "\(new.printable): \(refusal.sentence)")
            }
        }
    }

    /// Asks for a confirmation if the owner would lose a name. The operation takes the old name only from this owner,
    /// so nothing else can happen if the name changes in between.
    private func confirm(_ handle: Handle, _ registry: Registry) async throws {
        guard let record = try await registry.record(of: handle), record.state == .claimed, record.owner?.id == owner,
            Reading(typed: new).handle != handle
        else { return }
        try await Confirmation(isGiven: yes).ask(
            "Take \(record.display) from \(owner.printable) for \(new.printable)? "
                + "It \(take ? "is reserved" : registry.policy.fateOfReleased).",
            "this takes \(handle) from its owner")
    }
}
