import HandleCore
package import HandleRegistry
package import RecordFiles

import struct FoundationEssentials.Date

/// Reserves the handles of a file or of a list. Safe to repeat; every row is reported.
///
/// Two chunks are reserved at a time. A look-alike of an earlier row's handle waits for all rows before it. So a run
/// that is repeated after an interruption ends like one that was not interrupted.
package struct ReserveJob: RowJob {
    private let registry: Registry
    private let bulk: BulkReserve
    private let defaults: ReserveDefaults
    private let reporter: ChangeReporter
    private let now = Date()

    let width = 2
    /// Size of a chunk in bytes: tens of thousands of handles, reserved in one transaction of less than a second.
    private static let chunkSize = 512 * 1024

    /// - Parameters:
    ///   - allowsLookalikes: true if handles may look like protected ones.
    ///   - isDryRun: true to report the results that reserving would have, and change nothing.
    ///   - undo: the undo file; the handles are written to it before they are reserved.
    package init(
        registry: Registry, defaults: ReserveDefaults, allowingLookalikes allowsLookalikes: Bool, actor: String,
        format: ChangeReporter.Format, isDryRun: Bool, undo: UndoFile?
    ) {
        self.registry = registry
        self.defaults = defaults
        reporter = ChangeReporter(format, .reservations)
        bulk = BulkReserve(registry, allowingLookalikes: allowsLookalikes, actor: actor, isDryRun: isDryRun) {
            try undo?.note($0, $1)
        }
    }

    /// Opens a file for ``run(_:report:progress:)``; `-` is the standard input.
    /// - Throws: `RecordsError` if the start of the file can't be read.
    package static func reader(path: String, _ selection: Selection) throws -> ChunkReader {
        var selection = selection
        selection.columns = Array(selection.columns.prefix(1)) + ReserveFields.columns.map { .optional($0) }
        return try ChunkReader(path: path, selection: selection, chunkSize: chunkSize)
    }

    /// Reads a list of names like the lines of a file. No name may have a line break.
    package static func reader(names: [String]) throws -> ChunkReader {
        try ChunkReader(
            lines: names, columns: [.usual] + ReserveFields.columns.map { .optional($0) }, name: "the command line")
    }

    /// True if the file has a column of reasons.
    package static func hasReasons(_ reader: ChunkReader) -> Bool { reader.layout.columns[2] != Layout.noColumn }

    /// Reserves the rows of `reader`.
    /// - Parameters:
    ///   - report: gets every row, in the order of the file.
    ///   - progress: called after each chunk.
    /// - Returns: the summary. Rows that were reported are done, however the run ended.
    /// - Throws: ``BatchError`` if the report can't be written.
    package func run(
        _ reader: ChunkReader, report: OutputFile, progress: (Progress) -> Void
    ) async throws -> Summary {
        try await run(reader, words: registry.words, reporter, report, progress)
    }

    /// The rows of a chunk, and the handles that are not reserved yet.
    struct Work: Sendable {
        var rows: [RowResult]
        /// The look-alikes of earlier rows, with their indices in `rows`.
        var left: [(row: Int, name: NameToReserve)]
    }

    /// Reserves the handles that don't depend on other rows.
    func perform(_ chunk: JudgedChunk) async throws -> Work {
        var work = Work(rows: [], left: [])
        work.rows.reserveCapacity(chunk.rows.count)
        var names: [(row: Int, name: NameToReserve)] = []
        names.reserveCapacity(chunk.rows.count)
        let fields = ReserveFields(chunk)
        for index in chunk.rows.indices {
            var row = RowResult(index, of: chunk, wordsCount: false)
            if let name = fields.name(index, &row, defaults, now: now) {
                if row.duplicate == .lookalike {
                    work.left.append((index, name))
                } else {
                    names.append((index, name))
                }
            }
            work.rows.append(row)
        }
        try await reserve(names, areKnown: false, &work.rows)
        return work
    }

    /// Reserves the rest, once all chunks before are done.
    func finish(_ work: consuming Work) async throws -> ChunkReport {
        if !work.left.isEmpty { try await reserve(work.left, areKnown: true, &work.rows) }
        return reporter.report(work.rows)
    }

    private func reserve(
        _ names: [(row: Int, name: NameToReserve)], areKnown: Bool, _ rows: inout [RowResult]
    ) async throws {
        let reserved = try await uninterrupted { [bulk] in
            try await bulk.reserve(names.map(\.name), areKnown: areKnown)
        }
        for ((row, _), reserved) in zip(names, reserved) { rows[row].take(reserved) }
    }
}
