import ArgumentParser
import Foundation
import HandleRegistry
import HandleRules
import NameFiles

struct ReserveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reserve",
        abstract: "Reserve names, optionally for an owner.",
        discussion: """
            Look-alikes of a reserved name are refused too, except those that are reserved for the same owner, or for \
            no owner as well. Reserving a name again changes nothing and is no error, so an interrupted file can be \
            reserved again. A name in use stays with its owner, unless --take is given. That needs a confirmation: an \
            answer at the terminal, or --yes. Names in use that look like a reserved one are listed.

            A file has one name a line, or the columns handle (or the one of --column), display, reason, owner and \
            until; only the first is required. The result of every row is written as CSV. Reservations from a file are \
            recorded in an undo file for handles release --undo: FILE.undo.csv in the working folder, or the file of \
            --undo.

            Examples:
              handles reserve acme acme_support --reason "our own brand"
              handles reserve acrne --reason "another firm" --for org-9 --allow-lookalike
              handles reserve --dry-run --file brands.csv --reason trademarks
              handles reserve --file brands.csv --reason trademarks > reserved.csv
              handles reserve acme_2028 --reason "a campaign" --until 2028-12-31
              handles reserve acme_support --reason impersonation --take --yes
            """)

    @OptionGroup var database: DatabaseOptions
    @Option(help: "Reason; recorded with the names. A file may have a column for it.") var reason: String?
    @Option(name: .customLong("for"), help: ArgumentHelp("Owner who may claim them.", valueName: "owner")) var owner:
        String?
    @Option(help: ArgumentHelp("The last day (UTC) of the reservation.", valueName: "YYYY-MM-DD")) var until: String?
    @Flag(help: "Allow look-alikes of names that are protected for others.") var allowLookalike = false
    @Flag(help: "Take names that are in use from their owners.") var take = false
    @Flag(help: "Skip the confirmation of --take.") var yes = false
    @Flag(help: "Print the results without changing anything; ask nothing.") var dryRun = false
    @Flag(help: "One JSON object a line.") var json = false
    @Flag(help: "Show no progress.") var quiet = false
    @Option(
        help: ArgumentHelp("A file with names; - is the standard input.", valueName: "file"), completion: .file())
    var file: String?
    @OptionGroup(title: "Options for a file") var input: InputOptions
    @Option(help: ArgumentHelp("The column with the owners. (default: detected)", valueName: "name or number"))
    var ownerColumn: String?
    @Option(help: ArgumentHelp("The column with the reasons. (default: detected)", valueName: "name or number"))
    var reasonColumn: String?
    @Option(help: ArgumentHelp("The column with the last days. (default: detected)", valueName: "name or number"))
    var untilColumn: String?
    @Option(
        help: ArgumentHelp("The undo file; an existing one is appended to.", valueName: "file"), completion: .file())
    var undo: String?
    @Argument(help: ArgumentHelp("The names.", valueName: "name")) var names: [String] = []

    func validate() throws {
        guard names.isEmpty != (file == nil) else {
            throw ValidationError("Give the names, or a file with --file.")
        }
        guard reason != nil || file != nil else {
            throw ValidationError("--reason is missing: give a few words.")
        }
        if let bad = names.first(where: { $0.contains(where: \.isNewline) }) {
            throw ValidationError("'\(bad.printable)' has a line break in it; give a file with --file.")
        }
        try reason?.checkAsReason()
        _ = try defaults()
    }

    func run() async throws {
        let defaults = try defaults()
        let selection = try input.selection(columns: [input.column])
        let named = [("owner", ownerColumn), ("reason", reasonColumn), ("until", untilColumn)]
            .reduce(into: [:]) { $0[$1.0] = $1.1.map(InputOptions.column) }
        let undo = undoFile
        try await CommandEdge.withRegistry(database, as: dryRun ? .reader : .writer) { registry, _ in
            let format: ChangeReporter.Format = json ? .json : file == nil ? .columns : .csv
            let job = ReserveJob(
                registry: registry, defaults: defaults, allowingLookalikes: allowLookalike, taking: take,
                actor: CommandEdge.actor.name, format: format, isDryRun: dryRun, undo: undo)
            var rows: Int?
            let counting: ((Int) -> Void)? = take && !yes && !dryRun ? { rows = $0 } : nil
            let reader =
                try file.map { try ReserveJob.reader(path: $0, selection, named: named, counting: counting) }
                ?? ReserveJob.reader(names: names)
            if file != nil, !quiet { FileRun.note(reader.layout.note) }
            guard reason != nil || ReserveJob.hasReasons(reader) else {
                throw CommandFault(
                    .usage,
                    "the file has no column called reason; choose it with --reason-column, or give one for all with --reason"
                )
            }
            if take, !dryRun { try await confirm(rows, registry) }
            Memory.keep()
            let summary: Summary
            do {
                summary = try await FileRun.run(showsProgress: !quiet && file != nil) {
                    try await job.run(reader, report: OutputFile(), progress: $0)
                }
            } catch {
                // The report can't be written.
                undo?.noteUse()
                throw error
            }
            try end(summary, undo)
        }
    }

    /// Asks for a confirmation if names may be taken from others.
    /// - Parameter rows: the number of rows of the file, if they were counted.
    private func confirm(_ rows: Int?, _ registry: Registry) async throws {
        if let rows { return try await Confirmation.ofFile(rows: rows) }
        let taken = try await registry.records(of: names).values.filter { $0.state != .reserved }
        if taken.isEmpty { return }
        let lines = taken.sorted { $0.handle < $1.handle }.map { "  \($0.display) is \($0.sentenceOfState)\n" }
        try await Confirmation(isGiven: yes).ask(
            lines.joined() + "Reserve in spite of that?", "this takes names from their owners")
    }

    /// Writes the totals, and how to undo the reservations.
    private func end(_ summary: Summary, _ undo: UndoFile?) throws {
        if case .failed(let error) = summary.end, !(error is RecordsError) {
            if let undo, undo.isUsed {
                Output.note(
                    "\(summary.counts[.done].grouped) reserved so far, possibly more. Run it again to continue, or undo it:"
                )
                Output.note("handles release --undo \(undo.path.printable)")
            }
            throw error
        }
        Output.note(
            file.map { summary.text(file: $0, change: "reserved", isDryRun: dryRun) }
                ?? summary.totals("reserved", isDryRun: dryRun))
        undo?.noteUse()
        try FileRun.end(summary, of: file ?? "-", dryRun ? nil : "reserved names stay reserved")
    }

    private var undoFile: UndoFile? {
        if let file { return UndoFile(undo, of: file, isDryRun: dryRun) }
        return dryRun ? nil : undo.map { UndoFile(path: $0) }
    }

    private func defaults() throws -> ReserveDefaults {
        let owner = try owner.map { id in
            guard let owner = Owner(id) else { throw ValidationError("--for is \(Owner.rule).") }
            return owner
        }
        return ReserveDefaults(
            reason: reason, owner: owner, until: try until.map { try LastDay.parse($0, option: "--until") })
    }
}

extension String {
    /// Refuses text that can't be stored as a reason.
    func checkAsReason() throws {
        guard isReason else { throw ValidationError("--reason needs a few words in one line.") }
    }
}
