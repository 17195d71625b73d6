package import HandleRegistry
import HandleRules

/// Undoes the changes listed in an undo file, of handles that have not changed since. Safe to repeat.
package struct UndoJob: RowJob {
    private let registry: Registry
    private let undo: BulkUndo
    private let format: ChangeReporter.Format
    /// Set when the run begins.
    private var reporter: ChangeReporter?

    /// Transactions that run at the same time.
    let width = 2
    let finishesAfterFault = true
    /// A name may be changed and noted several times.
    let memory: Int? = nil
    /// Some thousand rows, put back in one transaction.
    private static let chunkSize = 96 * 1024

    /// - Parameter isDryRun: true to report the results that the undo would have, and change nothing.
    package init(_ registry: Registry, _ cause: Cause, format: ChangeReporter.Format, isDryRun: Bool) {
        self.registry = registry
        undo = BulkUndo(registry, cause, isDryRun: isDryRun)
        self.format = format
    }

    /// - Parameters:
    ///   - path: the undo file; `-` is the standard input.
    ///   - report: gets the rows that are put back or have changed since, in the order of the file.
    ///   - progress: called after each chunk.
    /// - Returns: the summary. ``Summary/skipped`` are the unreadable lines. A run that was killed may have left one at
    ///   the end of the file, ``Summary/openLine``.
    /// - Throws: `RecordsError` if the start of the file can't be read; ``BatchError`` if the report can't be written.
    package func run(path: String, report: OutputFile, progress: (Progress) -> Void) async throws -> Summary {
        let reader = try ChunkReader(
            path: path, selection: Selection(format: .csv, columns: [.name("handle"), .name("change")], header: true),
            chunkSize: Self.chunkSize)
        var job = self
        let reporter = ChangeReporter(format, .undo, reader.layout)
        job.reporter = reporter
        return try await job.run(
            reader, Judge(layout: reader.layout, words: registry.words), reporter, report, progress)
    }

    func perform(_ chunk: JudgedChunk) async throws -> ChunkReport {
        var rows: [RowResult] = []
        var names: [(handle: Handle, change: Int64)] = []
        var skipped: [Int] = []
        for index in chunk.rows.indices {
            let row = RowResult(index, of: chunk)
            let change = Int64(String(decoding: chunk.field(index, column: 1), as: UTF8.self))
            if let handle = row.display?.handle, let change {
                rows.append(row)
                names.append((handle, change))
            } else if chunk.fault(index) != .empty {
                skipped.append(row.line)
            }
        }
        let outcomes = try await uninterrupted { [undo, names] in try await undo.undo(names) }
        for (index, outcome) in outcomes.enumerated() { rows[index].take(undone: outcome) }
        var report = reporter?.report(rows) ?? ChunkReport()
        report.skipped = skipped
        return report
    }
}
