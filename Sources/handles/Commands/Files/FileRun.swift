import NameFiles

/// A run of a job over a file of names, as part of a command.
enum FileRun {
    /// Runs a job with a progress bar.
    static func run(
        showsProgress: Bool, _ job: ((Progress) -> Void) async throws -> Summary
    ) async throws -> Summary {
        var bar = ProgressBar(isShown: showsProgress)
        defer { bar.clear() }
        return try await job { bar.show($0) }
    }

    /// Runs a job that changes names, and ends its command.
    /// - Parameter change: what is done with the names, such as `claimed`.
    static func change(
        _ change: String, file: String, undo: UndoFile?, isDryRun: Bool, showsProgress: Bool,
        _ job: ((Progress) -> Void) async throws -> Summary
    ) async throws {
        let summary: Summary
        do {
            summary = try await run(showsProgress: showsProgress, job)
        } catch {
            // The report can't be written.
            undo?.noteUse()
            throw error
        }
        Output.note(summary.text(file: file, change: change, isDryRun: isDryRun))
        undo?.noteUse()
        try end(summary, of: file, isDryRun ? nil : "\(change) names stay \(change)")
    }

    /// Writes the lines that say how a file is understood. They quote the file, so control characters are escaped.
    static func note(_ lines: String) {
        for line in lines.split(separator: "\n") { Output.note(String(line).printable) }
    }

    /// Ends the command after a run, once its totals are noted.
    /// - Parameters:
    ///   - file: the path in messages.
    ///   - fate: what becomes of the changes made so far, such as `claimed names stay claimed`; nil to give no advice.
    /// - Throws: the error that ended the run; ``CommandFault`` if rows were refused.
    static func end(_ summary: Summary, of file: String, _ fate: String? = nil) throws {
        try checkEnd(summary, of: file, fate)
        if summary.counts.refused > 0 { throw CommandFault.refused }
    }

    /// The same for a command that refuses no rows.
    static func checkEnd(_ summary: Summary, of file: String, _ fate: String? = nil) throws {
        switch summary.end {
        case .complete where summary.counts.endsInsideRecord:
            throw CommandFault(
                .unreadableData, "\(TextFile.name(of: file)) ends in the middle of a record: is it cut?")
        case .complete, .stopped: break
        case .interrupted:
            if let fate { Output.note("Interrupted: run it again to continue; \(fate).") }
            throw CancellationError()
        case .failed(let error):
            if let fate, !(error is RecordsError), !(error is BatchError) {
                Output.note("Run it again to continue; \(fate).")
            }
            throw error
        }
    }
}

extension ChangeReporter.Format {
    /// Columns of 16 characters.
    static let columns = Self.text { fields in
        fields.map { $0.printable.padded(to: 16) }.joined(separator: " ").trimmed
    }
}
