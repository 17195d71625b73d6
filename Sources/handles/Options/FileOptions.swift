import ArgumentParser
import HandleRegistry
import NameFiles

/// Options of a command that changes the names of a file.
struct FileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("A file with the names; - is the standard input.", valueName: "file"), completion: .file())
    var file: String?
    @OptionGroup var input: InputOptions
    @Flag(help: "Show no progress.") var quiet = false

    /// The columns that were chosen, by their roles.
    static func columns(_ chosen: KeyValuePairs<String, String?>) -> [String: Selection.Column] {
        chosen.reduce(into: [:]) { $0[$1.key] = $1.value.map(InputOptions.column) }
    }
}

extension FileOptions {
    /// Runs a job over the file, once it is confirmed that names are taken from their owners.
    /// - Parameters:
    ///   - change: what is done with the names, such as `released`.
    ///   - named: the columns that were chosen, by their roles.
    func change<Made>(
        _ change: String, _ database: DatabaseOptions, reason: String?, json: Bool, undo: String?, isDryRun: Bool,
        isConfirmed: Bool, named: [String: Selection.Column] = [:],
        _ job: @escaping @Sendable (Registry, ChangeOptions) -> ChangeJob<Made>
    ) async throws {
        guard let file else { return }
        let selection = try input.selection(columns: [input.column])
        let undo = UndoFile(undo, of: file, isDryRun: isDryRun)
        let options = ChangeOptions(
            Cause(by: CommandEdge.actor, reason: reason), json ? .json : .csv, isDryRun: isDryRun, undo: undo)
        try await CommandEdge.withRegistry(database, as: .reader) { registry, _ in
            try await FileRun.change(
                change, file: file, undo: undo, isDryRun: isDryRun, showsProgress: !quiet
            ) { progress in
                try await job(registry, options).run(
                    path: file, selection: selection, named: named,
                    confirm: isConfirmed || isDryRun ? nil : { try await Confirmation.ofFile(rows: $0) },
                    report: OutputFile(), opened: { if !quiet { FileRun.note($0) } }, progress: progress)
            }
        }
    }
}

extension Confirmation {
    /// Asks whether names of a file may be taken from their owners.
    static func ofFile(rows: Int) async throws {
        try await Confirmation(isGiven: false).ask(
            "The file has \(rows.grouped) \(rows == 1 ? "row" : "rows"). Take its names from the owners that have them?",
            "this takes names from their owners")
    }
}

extension UndoFile {
    /// The undo file of a run over a file; nil for a dry run.
    /// - Parameter path: as chosen; nil for `NAME.undo.csv` in the working folder.
    convenience init?(_ path: String?, of file: String, isDryRun: Bool) {
        if isDryRun { return nil }
        self.init(path: path ?? "\(ReportFiles.name(of: file)).undo.csv")
    }

    /// Says how to undo the changes, if there are any.
    func noteUse() {
        if isUsed { Output.note("To undo it: handles release --undo \(path.printable)") }
    }
}
