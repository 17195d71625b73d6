import ArgumentParser
import HandleRegistry
import HandleRules
import HandleWords
import NameFiles

struct AssignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assign",
        abstract: "Assign names to an owner, also names in use.",
        discussion: """
            The names become claims of the owner: free, held, claimed, reserved and quarantined ones, and reserved \
            words. No other owner keeps a right on them, and the owner's limits don't count. Taking a name from another \
            owner needs a confirmation: an answer at the terminal, or --yes. With --from, only that owner's names are \
            assigned. A name that changes while the question is open stays as it is. Assigning a name again is no error.

            A name that looks like a protected one of another owner is refused, unless it is reserved for this owner. \
            With --allow-lookalike it is assigned too.

            A file has the columns handle (or the one of --column), to, from and reason; from may be missing, and reason \
            if --reason is given. The result of every row is written as CSV. The changes are recorded in an undo file \
            for handles release --undo: FILE.undo.csv in the working folder, or the file of --undo.

            Examples:
              handles assign acme --to org-9 --reason "showed us the trademark"
              handles assign acme --to org-9 --from user-1 --reason "impersonation" --yes
              handles assign --dry-run Acme Acme_Labs --to org-9 --reason "their brand"
              handles assign --file brands.csv --reason theirs --yes > assigned.csv
            """)

    @OptionGroup var database: DatabaseOptions
    @Option(name: .customLong("to"), help: ArgumentHelp("The new owner's id.", valueName: "owner")) var owner: String?
    @Option(
        name: .customLong("from"),
        help: ArgumentHelp("The present owner, or the former one of a quarantined name.", valueName: "owner"))
    var former: String?
    @Option(help: "Reason; recorded in the names' history.") var reason: String?
    @Flag(help: "Skip the confirmation.") var yes = false
    @Flag(help: "Allow look-alikes of names that are protected for another owner.") var allowLookalike = false
    @Flag(help: "Print the results without changing anything; ask nothing.") var dryRun = false
    @Flag(help: "One JSON object a line.") var json = false
    @OptionGroup(title: "Options for a file") var files: FileOptions
    @Option(help: ArgumentHelp("The column with the new owners. (default: detected)", valueName: "name or number"))
    var ownerColumn: String?
    @Option(
        help: ArgumentHelp("The undo file; an existing one is appended to.", valueName: "file"), completion: .file())
    var undo: String?
    @Argument(help: ArgumentHelp("The names; their capitals become the display handles.", valueName: "name")) var names:
        [String] = []

    func validate() throws {
        try reason?.checkAsReason()
        if files.file != nil {
            guard names.isEmpty, owner == nil, former == nil else {
                throw ValidationError("Give the names with --to, or a --file.")
            }
            return
        }
        guard !names.isEmpty, let owner else { throw ValidationError("Give the names with --to, or a --file.") }
        guard Owner(owner) != nil else { throw ValidationError("--to is \(Owner.rule).") }
        guard former.map({ Owner($0) != nil }) ?? true else { throw ValidationError("--from is \(Owner.rule).") }
        guard reason != nil else { throw ValidationError("--reason is missing: give a few words.") }
        guard ownerColumn == nil, undo == nil else {
            throw ValidationError("--owner-column and --undo are for a --file.")
        }
    }

    func run() async throws {
        if files.file != nil {
            try await files.change(
                "assigned", database, reason: reason, json: json, undo: undo, isDryRun: dryRun, isConfirmed: yes,
                named: FileOptions.columns(["to": ownerColumn])
            ) { ChangeJob(assigning: $0, allowingLookalikes: allowLookalike, $1) }
        } else if let owner = owner.flatMap({ Owner($0) }) {
            try await assign(to: owner)
        }
    }

    private func assign(to owner: Owner) async throws {
        try await CommandEdge.withRegistry(database, as: .reader, json: json) { registry, output in
            let known = try await registry.records(of: names)
            let taken = known.values.filter { $0.state != .reserved || $0.owner != nil }.filter { $0.owner != owner }
            if !taken.isEmpty, !dryRun {
                let lines = taken.sorted { $0.handle < $1.handle }.map { "  \($0.display) is \($0.sentenceOfState)" }
                try await Confirmation(isGiven: yes).ask(
                    lines.joined(separator: "\n") + "\nAssign to \(owner.id.printable) in spite of that?",
                    "this takes names from others")
            }
            let plan = dryRun ? DryRun(registry) : nil
            var assigned: Set<Handle> = []
            for name in names {
                let record = Reading(typed: name).handle.flatMap { known[$0] }
                // Read first, so that an error here assigns nothing. In a dry run, assigned names are still others'.
                let lookalikes = try await lookalikes(registry, of: name, owner).filter { !assigned.contains($0) }
                let outcome = try await registry.perform(
                    Assign(
                        name, to: owner, allowingLookalike: allowLookalike,
                        if: Precondition(unchanged: record, of: former.flatMap(Owner.init)),
                        Cause(by: CommandEdge.actor, reason: reason)), in: plan)
                if let record = outcome.record { assigned.insert(record.handle) } else { output.hasRefused = true }
                let sentence = outcome.sentenceOfAssignment(to: owner, lookalikes, isDryRun: dryRun)
                try output.result("\(name.printable.padded(to: 16)) \(sentence)") {
                    $0.write(outcome, of: name, lookalikes)
                }
                try output.flush()
            }
        }
    }

    /// The other owners' names in use that a name looks like. They stay with their owners.
    private func lookalikes(_ registry: Registry, of name: String, _ owner: Owner) async throws -> [Handle] {
        guard let handle = Reading(typed: name).handle else { return [] }
        return try await registry.lookalikes(of: handle, besidesThoseOf: owner).map(\.handle)
    }
}

extension ChangeOutcome {
    /// `is user-1's now`, or in a dry run that would change something `would be user-1's`.
    func sentence(of owner: Owner, isDryRun: Bool) -> String {
        isDryRun && isDone ? "would be \(owner.id.printable)'s" : "is \(owner.id.printable)'s now"
    }

    fileprivate func sentenceOfAssignment(to owner: Owner, _ lookalikes: [Handle], isDryRun: Bool) -> String {
        switch self {
        case .done where !lookalikes.isEmpty:
            "\(sentence(of: owner, isDryRun: isDryRun)). \(lookalikes.sentenceOfLookalikes)"
        case .done: sentence(of: owner, isDryRun: isDryRun)
        case .already: "is \(owner.id.printable)'s already"
        case .refused(.decision(let decision)):
            decision.reasons.map(\.sentenceForAssignment).joined(separator: " ")
        case .refused(let refusal): refusal.sentence
        }
    }
}

extension Reason {
    fileprivate var sentenceForAssignment: String {
        switch self {
        case .lookalike: sentenceForAdmins + " To assign it in spite of that, use --allow-lookalike."
        default: sentenceForAdmins
        }
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ outcome: ChangeOutcome, of name: String, _ lookalikes: [Handle]) {
        let (result, record, reasons): (String, Record?, [Reason]) =
            switch outcome {
            case .done(let record): ("assigned", record, [])
            case .already(let record): ("already", record, [])
            case .refused(.changed(let record)): ("differs", record, [])
            case .refused(let refusal):
                (refusal.reasons.contains(where: \.code.isAboutForm) ? "invalid" : "unavailable", nil, refusal.reasons)
            }
        object { json in
            json.member("input", name)
            json.member("result", result)
            json.key("record")
            if let record { json.write(record, for: .keyHolders) } else { json.null() }
            json.key("reasons")
            json.write(reasons, for: .keyHolders)
            json.member("lookalikes", outcome.isDone ? lookalikes : [])
        }
    }
}
