import ArgumentParser
import HandleRegistry
import HandleRules
import NameFiles

struct ClaimCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "claim",
        abstract: "Claim a name for an owner, or the names of a file for their owners.",
        discussion: """
            Claiming a name again for the same owner is no error, so an interrupted file can be claimed again. The \
            result of every row of a file is written as CSV. Claims of a file are recorded in an undo file for handles \
            release --undo: FILE.undo.csv in the working folder, or the file of --undo.

            Examples:
              handles claim JohnDoe --for user-123
              handles claim acrne --for org-9 --allow-lookalike --reason "has papers"
              handles claim --dry-run --file users.csv --column username --owner-column id
              handles claim --file users.csv --column username --owner-column id
            """)

    @OptionGroup var database: DatabaseOptions
    @Option(
        name: [.customLong("for"), .customLong("owner")],
        help: ArgumentHelp("The owner's id, as your app knows it.", valueName: "owner"))
    var owner: String?
    @Option(help: "Reason; recorded in the name's history.") var reason: String?
    @Flag(help: "Allow the name although it looks like a protected one; needs --reason.") var allowLookalike = false
    @Flag(help: "Print the result as a JSON object, one for every row of a file.") var json = false
    @Option(
        help: ArgumentHelp("A file with names and owners; - is the standard input.", valueName: "file"),
        completion: .file())
    var file: String?
    @Option(help: ArgumentHelp("The file's column with the owners' ids.", valueName: "name or number"))
    var ownerColumn: String?
    @OptionGroup(title: "Options for a file") var input: InputOptions
    @Flag(help: "Where a row's name can't be had, claim the repair that handles validate --repair would propose.")
    var repair = false
    @Flag(help: "Print the result for each row of the file without changing anything.") var dryRun = false
    @Option(
        help: ArgumentHelp("The undo file; an existing one is appended to.", valueName: "file"), completion: .file())
    var undo: String?
    @Flag(help: "Show no progress.") var quiet = false
    @Argument(help: "The name; its capitals become the display handle.") var name: String?

    func validate() throws {
        try reason?.checkAsReason()
        guard !allowLookalike || reason != nil else { throw ValidationError("--allow-lookalike needs --reason.") }
        if file != nil {
            guard name == nil, owner == nil else { throw ValidationError("Give a name with --for, or a --file.") }
            guard ownerColumn != nil else {
                throw ValidationError("--file needs --owner-column: the column with the owners' ids.")
            }
            guard !allowLookalike else { throw ValidationError("--allow-lookalike is for a single name.") }
        } else {
            guard name != nil, let owner else { throw ValidationError("Give a name with --for, or a --file.") }
            guard Owner(owner) != nil else { throw ValidationError("--for is \(Owner.rule).") }
            guard !dryRun, !repair, ownerColumn == nil, undo == nil else {
                throw ValidationError(
                    "--dry-run, --repair, --owner-column and --undo are for a --file; see handles check for a name.")
            }
        }
    }

    func run() async throws {
        if let file {
            try await claim(file: file)
        } else if let name, let owner = owner.flatMap({ Owner($0) }) {
            try await claim(name, for: owner)
        }
    }

    private func claim(file: String) async throws {
        let selection = try input.selection(columns: [input.column, ownerColumn])
        let undo = UndoFile(undo, of: file, isDryRun: dryRun)
        try await CommandEdge.withRegistry(database, as: dryRun ? .reader : .writer) { registry, _ in
            let job = ClaimJob(
                registry: registry, cause: Cause(by: CommandEdge.actor, reason: reason), format: json ? .json : .csv,
                isDryRun: dryRun, repairs: repair, undo: undo)
            try await FileRun.change(
                "claimed", file: file, undo: undo, isDryRun: dryRun, showsProgress: !quiet
            ) {
                try await job.run(
                    path: file, selection: selection, report: OutputFile(), opened: { if !quiet { FileRun.note($0) } },
                    progress: $0)
            }
        }
    }

    private func claim(_ name: String, for owner: Owner) async throws {
        try await CommandEdge.withRegistry(database, as: .writer, json: json) { registry, output in
            let claim = Claim(
                name, for: owner, allowingLookalike: allowLookalike, Cause(by: CommandEdge.actor, reason: reason))
            switch try await registry.perform(claim) {
            case .done(let record), .already(let record):
                try output.result("\(record.display) claimed for \(owner.id.printable)") {
                    $0.write(record, for: .keyHolders)
                }
            case .refused(let refusal):
                if json, case .decision(let decision) = refusal {
                    try output.json { $0.write(decision, about: name, suggestions: nil, for: .keyHolders) }
                    try output.flush()
                }
                throw CommandFault(.refused, "\(name.printable): \(refusal.sentence)")
            }
        }
    }
}
