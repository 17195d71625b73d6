import ArgumentParser
import HandleRegistry
import HandleRules
import HandleWords
import NameFiles

struct RenameCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Replace an owner's name with another one.",
        discussion: """
            The old name goes into quarantine: for a time only its former owner can claim it. With --take it is \
            reserved instead, so that the owner can't go back. Both need a confirmation: an answer at the terminal, or \
            --yes. A change of capitals is always allowed.

            With --forward everyone may learn what the new name is: as long as the old one is in quarantine, it leads to its \
            former owner's present name. handles unforward ends that.

            A file has the columns old (or handle, or the one of --column), new, owner and reason; only the last may be \
            missing. The result of every row is written as CSV. The changes are recorded in an undo file for handles \
            release --undo: FILE.undo.csv in the working folder, or the file of --undo.

            Examples:
              handles rename johndoe JohnnyDoe --owner user-123
              handles rename johndoe JohnnyDoe --owner user-123 --reason married --yes
              handles rename johndoe JOHNDOE --owner user-123
              handles rename johndoe JohnnyDoe --owner user-123 --forward --yes
              handles rename --dry-run johndoe JohnnyDoe --owner user-123
              handles rename acme_news visitor_8201 --owner user-8 --take --reason fake
              handles rename --file renames.csv --reason "new rules" --yes > renamed.csv
            """)

    @OptionGroup var database: DatabaseOptions
    @Option(
        name: [.customLong("owner"), .customLong("for")],
        help: ArgumentHelp("The owner's id.", valueName: "owner"))
    var owner: String?
    @Option(help: "Reason; recorded in the names' history.") var reason: String?
    @Flag(help: "Reserve the old name, so that the owner can't go back; needs --reason.") var take = false
    @Flag(help: "Let the old name lead to the owner's present one while it is in quarantine.") var forward = false
    @Flag(help: "Skip the confirmation.") var yes = false
    @Flag(help: "Print the result without changing anything; ask nothing.") var dryRun = false
    @Flag(help: "The result as a JSON object, one for every row of a file.") var json = false
    @OptionGroup(title: "Options for a file") var files: FileOptions
    @Option(help: ArgumentHelp("The column with the new names. (default: detected)", valueName: "name or number"))
    var newColumn: String?
    @Option(help: ArgumentHelp("The column with the owners. (default: detected)", valueName: "name or number"))
    var ownerColumn: String?
    @Option(
        help: ArgumentHelp("The undo file; an existing one is appended to.", valueName: "file"), completion: .file())
    var undo: String?
    @Argument(help: "The current name.") var old: String?
    @Argument(help: "The new name; its capitals become the display handle.") var new: String?

    func validate() throws {
        try reason?.checkAsReason()
        guard !take || !forward else {
            throw ValidationError("--take or --forward: a name that is reserved leads nowhere.")
        }
        if files.file != nil {
            guard old == nil, owner == nil else { throw ValidationError("Give two names with --owner, or a --file.") }
            return
        }
        guard new != nil, let owner else { throw ValidationError("Give two names with --owner, or a --file.") }
        guard Owner(owner) != nil else { throw ValidationError("--owner is \(Owner.rule).") }
        guard !take || reason != nil else { throw ValidationError("--take needs --reason: give a few words.") }
        guard newColumn == nil, ownerColumn == nil, undo == nil else {
            throw ValidationError("--new-column, --owner-column and --undo are for a --file.")
        }
    }

    func run() async throws {
        if files.file != nil {
            try await files.change(
                "renamed", database, reason: reason, json: json, undo: undo, isDryRun: dryRun, isConfirmed: yes,
                named: FileOptions.columns(["new": newColumn, "owner": ownerColumn])
            ) { ChangeJob(renaming: $0, taking: take, forwarding: forward, $1) }
        } else if let old, let new, let owner = owner.flatMap({ Owner($0) }) {
            try await rename(old, to: new, for: owner)
        }
    }

    private func rename(_ old: String, to new: String, for owner: Owner) async throws {
        try await CommandEdge.withRegistry(database, as: .reader, json: json) { registry, output in
            guard let handle = Reading(typed: old).handle else {
                throw CommandFault(.refused, "\(old.printable): \(owner.id.printable) does not have it")
            }
            if !dryRun { try await confirm(handle, to: new, of: owner, registry) }
            let rename = Rename(
                handle, to: new, for: owner, takingBecause: take ? reason : nil, forwarding: forward,
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
    private func confirm(_ handle: Handle, to new: String, of owner: Owner, _ registry: Registry) async throws {
        guard let record = try await registry.record(of: handle), record.state == .claimed, record.owner == owner,
            Reading(typed: new).handle != handle
        else { return }
        try await Confirmation(isGiven: yes).ask(
            "Take \(record.display) from \(owner.id.printable) for \(new.printable)? "
                + "It \(take ? "is reserved" : registry.policy.fateOfReleased)\(forward ? ", and leads to the new one" : "").",
            "this takes \(handle) from its owner")
    }
}
