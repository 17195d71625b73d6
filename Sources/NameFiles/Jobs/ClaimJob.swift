package import HandleRegistry
import HandleRules

/// Claims the handles of a file for the owners given there. Safe to repeat; every row is reported.
///
/// A row with the same handle as an earlier row is a duplicate, even if the earlier row is refused; under the strict
/// look-alike policy, a look-alike is one too. The rows are claimed in their order. So a run that is repeated after an
/// interruption ends like one that was not interrupted.
package struct ClaimJob: RowJob {
    private let registry: Registry
    private let bulk: BulkClaim
    private let cause: Cause
    private let format: ChangeReporter.Format
    private let repairs: Bool
    /// Set when the run begins.
    private var reporter: ChangeReporter?
    private var repairer: Repairer?

    let width = 1
    private static let chunkSize = 64 * 1024
    /// Chunks of the first pass that are judged at a time.
    private static let jobs = 4

    /// - Parameters:
    ///   - isDryRun: true to report the results that the claims would have, and change nothing.
    ///   - repairs: whether a repair is claimed in place of a name that the owner of the row can't have.
    ///   - undo: the undo file; the handles are written to it before they are claimed.
    package init(
        registry: Registry, cause: Cause, format: ChangeReporter.Format, isDryRun: Bool, repairs: Bool = false,
        undo: UndoFile? = nil
    ) {
        self.registry = registry
        self.cause = cause
        self.format = format
        self.repairs = repairs
        bulk = BulkClaim(registry, isDryRun: isDryRun, noting: undo?.note)
    }

    /// Claims the rows of the file at `path`; `-` is the standard input.
    /// - Parameters:
    ///   - selection: the column of the handles, then the column of the owners.
    ///   - report: gets every row, in the order of the file.
    ///   - opened: gets the lines that say how the file is understood.
    ///   - progress: called after each chunk.
    /// - Returns: the summary. Rows that were reported are done, however the run ended.
    /// - Throws: `RecordsError` if the start of the file can't be read; ``BatchError`` if the report can't be written.
    package func run(
        path: String, selection: Selection, report: OutputFile, opened: (String) -> Void = { _ in },
        progress: (Progress) -> Void
    ) async throws -> Summary {
        var selection = selection
        selection.ids = [1]
        selection.roles = ["handle", "owner"]
        let file = try JobFile(path: path, selection, chunkSize: Self.chunkSize, isReadTwice: repairs)
        let reader = try file.open()
        opened(reader.layout.note)
        let judge = Judge(layout: reader.layout, words: registry.words)
        let reporter = ChangeReporter(format, .claim(repairs: repairs), reader.layout)
        var job = self
        job.reporter = reporter
        if repairs, let memory {
            job.repairer = try await file.repairer(
                judge, registry.policy, lookup: SharedLookup(registry), memory: memory, jobs: Self.jobs,
                progress: progress)
        }
        return try await job.run(reader, judge, reporter, report) { progress(repairs ? $0.secondHalf : $0) }
    }

    func perform(_ chunk: JudgedChunk) async throws -> ChunkReport {
        var rows = chunk.rows.indices.map { row($0, of: chunk) }
        let open = rows.indices.filter { rows[$0].verdict == nil }
        let claims = open.compactMap { index in
            rows[index].ownerID.map { Claim(String(decoding: rows[index].input, as: UTF8.self), for: $0, cause) }
        }
        let claimed = try await uninterrupted { [bulk] in await bulk.claim(claims) }
        for (index, outcome) in zip(open, claimed.outcomes) { if let outcome { rows[index].take(outcome) } }
        var fault = claimed.fault
        if let repairer, fault == nil {
            do {
                try await Repairs(repairer, bulk, cause).claim(for: &rows)
            } catch {
                fault = error
            }
        }
        var report = reporter?.report(rows) ?? ChunkReport()
        report.fault = fault
        return report
    }

    private func row(_ index: Int, of chunk: JudgedChunk) -> RowResult {
        var row = RowResult(index, of: chunk, wordsCount: true)
        row.owner = chunk.field(index, column: 1)
        row.carried = reporter?.columns.fields(index, of: chunk) ?? []
        guard row.verdict == nil else { return row }
        if chunk.rowVerdict(index, registry.policy) == .duplicate {
            row.refuse(.duplicate, [])
        } else if row.ownerID == nil {
            row.refuse(.badOwner)
        }
        return row
    }
}

extension RowResult {
    /// The owner; nil if it is not valid.
    var ownerID: Owner? {
        owner.flatMap { String(validating: $0, as: UTF8.self) }.flatMap { Owner($0) }
    }
}
