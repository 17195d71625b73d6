package import HandleRegistry
import HandleRules

import struct FoundationEssentials.Date

/// Reserves the handles of a file or of a list. Safe to repeat; every row is reported.
///
/// The names of several chunks are reserved in lots, in the order of ``ReserveLots`` and two lots at a time. A look-alike
/// of an earlier row's handle waits for all rows before it. So a run that is repeated after an interruption ends like one
/// that was not interrupted.
package struct ReserveJob: RowJob {
    private let registry: Registry
    private let bulk: BulkReserve
    private let defaults: ReserveDefaults
    private let format: ChangeReporter.Format
    /// Set when the run begins.
    private var reporter: ChangeReporter?
    private let now = Date()

    let width = 2
    /// Chunks and rows of which names are reserved together; about 16 MiB of a file. With 200 to 300 bytes a row, they
    /// decide how much memory a run takes.
    var window = (chunks: 32, rows: 1_200_000)
    package static let chunkSize = 512 * 1024
    /// Names of a lot. They are reserved in one transaction, of less than half a second.
    var lotSize = 20_000
    private static let lotsAtOnce = 2

    /// - Parameters:
    ///   - allowsLookalikes: true if handles may look like protected ones.
    ///   - takes: true to take handles from their owners.
    ///   - isDryRun: true to report the results that reserving would have, and change nothing.
    ///   - undo: the undo file; the handles are written to it before they are reserved.
    package init(
        registry: Registry, defaults: ReserveDefaults, allowingLookalikes allowsLookalikes: Bool,
        taking takes: Bool = false, actor: String, format: ChangeReporter.Format, isDryRun: Bool, undo: UndoFile?
    ) {
        self.registry = registry
        self.defaults = defaults
        self.format = format
        bulk = BulkReserve(
            registry, allowingLookalikes: allowsLookalikes, taking: takes, actor: actor, isDryRun: isDryRun
        ) { names, change in
            try undo?.note(names.map { ($0, change) })
        }
    }

    /// Opens a file for ``run(_:report:progress:)``; `-` is the standard input.
    /// - Parameters:
    ///   - named: the columns of some optional fields, such as `owner`. The others are found by their names.
    ///   - counting: called with the number of rows; nil to read the file only once.
    /// - Throws: `RecordsError` if the start of the file can't be read.
    package static func reader(
        path: String, _ selection: Selection, named: [String: Selection.Column] = [:], chunkSize: Int = chunkSize,
        counting: ((_ rows: Int) -> Void)? = nil
    ) throws -> ChunkReader {
        var selection = selection
        selection.columns = selection.columns.prefix(1) + ReserveFields.columns.map { named[$0] ?? .optional($0) }
        selection.roles += ReserveFields.columns
        selection.ids = [ReserveFields.ownerColumn]
        let file = try JobFile(path: path, selection, chunkSize: chunkSize, isReadTwice: counting != nil)
        try counting?(file.rows())
        return try file.open()
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
    ///   - progress: called after each lot and each chunk.
    /// - Returns: the summary. Rows that were reported are done, however the run ended.
    /// - Throws: ``BatchError`` if the report can't be written.
    package func run(
        _ reader: ChunkReader, report: OutputFile, progress: (Progress) -> Void
    ) async throws -> Summary {
        var job = self
        let reporter = ChangeReporter(format, .reserve, reader.layout)
        job.reporter = reporter
        return try await job.run(
            reader, Judge(layout: reader.layout, words: registry.words), reporter, report, progress)
    }

    func perform(_ chunk: JudgedChunk) -> ReserveWork { ReserveWork(chunk) }

    func isWindow(_ works: [ReserveWork]) -> Bool {
        works.count >= window.chunks || works.reduce(0) { $0 + $1.chunk.rows.count } >= window.rows
    }

    /// Reserves the rows of several chunks.
    func settle(_ works: inout [ReserveWork], progress: (_ done: Int, _ all: Int) -> Void) async throws {
        let lots = ReserveLots(works.map(\.chunk), size: lotSize)
        // Saves memory: the lots have the names now.
        for index in works.indices { works[index].chunk.names = [] }
        let chunks = works.map(\.chunk)
        var done = 0
        try await lots.run(width: Self.lotsAtOnce) {
            try await reserve($0, of: chunks)
        } finish: { lot, results in
            for (place, result) in zip(lot.places, results) {
                works[Int(place.chunk)].take(result.line, result.row, of: Int(place.row))
            }
            done += lot.places.count
            progress(done, lots.count)
        }
    }

    /// The report on a chunk: the lines of rows that were reserved, and those of rows without a name to reserve.
    func finish(_ work: consuming ReserveWork) -> ChunkReport {
        let fields = ReserveFields(work.chunk)
        var report = ChunkReport()
        report.counts = work.counts
        for row in work.lines.indices {
            if let line = work.lines[row] {
                report.rows += line
            } else if RowResult(row, of: work.chunk, wordsCount: false).verdict != nil {
                reporter?.add(read(row, of: fields).row, to: &report)
            }
        }
        return report
    }

    /// Reserves the names of a lot.
    /// - Returns: each row, and its line in the report.
    private func reserve(
        _ lot: ReserveLots.Lot, of chunks: [JudgedChunk]
    ) async throws -> [(row: RowResult, line: ArraySlice<UInt8>)] {
        var rows: [RowResult] = []
        rows.reserveCapacity(lot.places.count)
        var names: [(row: Int, name: NameToReserve)] = []
        names.reserveCapacity(lot.places.count)
        for place in lot.places {
            let (row, name) = read(Int(place.row), of: ReserveFields(chunks[Int(place.chunk)]))
            if let name { names.append((rows.count, name)) }
            rows.append(row)
        }
        let reserved = try await uninterrupted { [bulk, names] in
            try await bulk.reserve(names.map(\.name), areKnown: lot.areLookalikes)
        }
        for ((row, name), reserved) in zip(names, reserved) { rows[row].take(reserved, wanted: name.reservation) }
        var report = ChunkReport()
        let ends = rows.map { row in
            reporter?.add(row, to: &report)
            return report.rows.count
        }
        return rows.indices.map { row in
            (rows[row], report.rows[(row == 0 ? 0 : ends[row - 1])..<ends[row]])
        }
    }

    /// - Returns: the row, and its name unless the row has a verdict already.
    private func read(_ index: Int, of fields: ReserveFields) -> (row: RowResult, name: NameToReserve?) {
        var row = RowResult(index, of: fields.chunk, wordsCount: false)
        row.carried = reporter?.columns.fields(index, of: fields.chunk) ?? []
        let name = fields.name(index, &row, defaults, now: now)
        return (row, name)
    }
}

/// A chunk. Its rows are reserved together with those of other chunks.
struct ReserveWork: Sendable {
    var chunk: JudgedChunk
    /// The line of the report for each row that was reserved, or refused by its lot.
    private(set) var lines: [ArraySlice<UInt8>?]
    /// The counts of these rows.
    private(set) var counts = Counts()

    init(_ chunk: consuming JudgedChunk) {
        lines = Array(repeating: nil, count: chunk.rows.count)
        self.chunk = chunk
    }

    mutating func take(_ line: ArraySlice<UInt8>, _ result: RowResult, of row: Int) {
        guard result.verdict != nil else { return }
        lines[row] = line
        counts.note(result)
    }
}
