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
    private let reporter: ChangeReporter

    let width = 1
    private static let chunkSize = 64 * 1024

    /// - Parameter isDryRun: true to report the results that the claims would have, and change nothing.
    package init(registry: Registry, cause: Cause, format: ChangeReporter.Format, isDryRun: Bool) {
        self.registry = registry
        self.cause = cause
        bulk = BulkClaim(registry, isDryRun: isDryRun)
        reporter = ChangeReporter(format, .claim)
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
        selection.ids = 1
        selection.roles = ["handle", "owner"]
        let reader = try ChunkReader(path: path, selection: selection, chunkSize: Self.chunkSize)
        opened(reader.layout.note)
        return try await run(reader, words: registry.words, reporter, report, progress)
    }

    func perform(_ chunk: JudgedChunk) async throws -> ChunkReport {
        var rows = chunk.rows.indices.map { row($0, of: chunk) }
        let open = rows.indices.filter { rows[$0].verdict == nil }
        let claims = open.compactMap { index in
            rows[index].ownerID.map { Claim(String(decoding: rows[index].input, as: UTF8.self), for: $0, cause) }
        }
        let claimed = try await uninterrupted { [bulk] in await bulk.claim(claims) }
        for (index, outcome) in zip(open, claimed.outcomes) { if let outcome { rows[index].take(outcome) } }
        var report = reporter.report(rows)
        report.fault = claimed.fault
        return report
    }

    private func row(_ index: Int, of chunk: JudgedChunk) -> RowResult {
        var row = RowResult(index, of: chunk, wordsCount: true)
        row.owner = chunk.field(index, column: 1)
        guard row.verdict == nil else { return row }
        if chunk.rowVerdict(index, registry.policy) == .duplicate {
            row.refuse(duplicateOf: chunk.rows[index].firstLine)
        } else if row.ownerID == nil {
            row.refuse(unreadable: "The owner is not \(Owner.rule).")
        }
        return row
    }
}

extension RowResult {
    /// The owner; nil if it is not valid.
    fileprivate var ownerID: Owner? {
        owner.flatMap { String(validating: $0, as: UTF8.self) }.flatMap { Owner($0) }
    }
}
