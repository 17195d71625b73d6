import HandleCore
package import HandleRegistry
package import Records

import struct FoundationEssentials.Date

/// Reserves the handles of a file or of a list. Safe to repeat; every row is reported.
///
/// Two chunks are reserved at a time. A look-alike of an earlier row's handle waits for all rows before it. So a run
/// that is repeated after an interruption ends like one that was not interrupted.
package struct BatchReserve: Sendable {
    private let registry: Registry
    private let bulk: BulkReserve
    private let defaults: ReserveDefaults
    private let isDryRun: Bool
    private let allowsLookalikes: Bool
    private let now = Date()

    /// - Parameters:
    ///   - allowsLookalikes: true if handles may look like protected ones.
    ///   - isDryRun: true to report the results that reserving would have, and change nothing.
    ///   - undo: the undo file; the handles are written to it before they are reserved.
    package init(
        registry: Registry, defaults: ReserveDefaults, allowingLookalikes allowsLookalikes: Bool, actor: String,
        isDryRun: Bool, undo: UndoFile?
    ) {
        self.registry = registry
        self.defaults = defaults
        self.isDryRun = isDryRun
        self.allowsLookalikes = allowsLookalikes
        bulk = BulkReserve(registry, allowingLookalikes: allowsLookalikes, actor: actor) { names, change in
            try undo?.note(names, change)
        }
    }

    /// Chunks reserved at the same time, without the look-alikes of earlier rows.
    private static let running = 2
    /// Size of a chunk in bytes: tens of thousands of handles, reserved in one transaction of less than a second.
    private static let chunkSize = 512 * 1024
    /// Memory limit for finding duplicates, in bytes.
    private static let memory = 1 << 30

    /// The columns read from a file: the handle and the optional columns.
    package static func selection(_ selection: Selection) -> Selection {
        var selection = selection
        selection.columns = Array(selection.columns.prefix(1)) + ReservedRow.columns.map { .optional($0) }
        return selection
    }

    /// Opens a file for ``run(_:report:progress:)``; `-` is the standard input.
    /// - Throws: `RecordsError` if the start of the file can't be read.
    package static func reader(path: String, _ selection: Selection) throws -> ChunkReader {
        try ChunkReader(path: path, selection: self.selection(selection), chunkSize: chunkSize)
    }

    /// Reads a list of names like the lines of a file. No name may have a line break.
    package static func reader(names: [String]) throws -> ChunkReader {
        try ChunkReader(lines: names, columns: selection(Selection()).columns, name: "the command line")
    }

    /// True if the file has a column of reasons.
    package static func hasReasons(_ reader: ChunkReader) -> Bool { reader.layout.columns[2] != Layout.noColumn }

    /// Reserves the rows of `reader`.
    /// - Parameters:
    ///   - report: called for every row, in the order of the file.
    ///   - progress: called after each chunk.
    /// - Returns: how the run ended. Rows that were reported are done in any case.
    /// - Throws: ``BatchError``, `PostgresError`; errors of the closures.
    package func run(
        _ reader: ChunkReader, report: (ReservedRow) throws -> Void,
        progress: (Progress) -> Void
    ) async throws -> Summary.End {
        var random = SystemRandomNumberGenerator()
        let judge = Judge(
            layout: reader.layout, words: registry.words, fingerprinter: Fingerprinter(using: &random))
        var duplicates = DuplicateFinder(linesBefore: reader.linesBefore, memory: Self.memory)
        var rehearsal = Rehearsal(registry: registry, allowsLookalikes: allowsLookalikes)
        var running: [(lot: Lot, task: Task<[Reserved], any Error>)] = []
        var end = Summary.End.complete

        func finishFirst() async throws {
            let (lot, task) = running.removeFirst()
            let rows = try await finish(lot, task.value)
            for row in rows { try report(row) }
            let (position, size) = reader.progress
            progress(Progress(rows: rows.last?.record ?? 0, position: position, size: size))
        }

        do {
            while let chunk = try reader.next() {
                try Task.checkCancellation()
                var judged = judge.judge(chunk)
                try duplicates.find(in: &judged, ofFileWith: reader.progress.size)
                let lot = Lot(judged, registry, defaults, now: now)
                if isDryRun {
                    for row in try await rehearsal.rehearse(lot) { try report(row) }
                    let (position, size) = reader.progress
                    progress(Progress(rows: lot.rows.last?.record ?? 0, position: position, size: size))
                    continue
                }
                if running.count == Self.running { try await finishFirst() }
                // An unstructured task is not cancelled, so the report covers every committed change.
                running.append((lot, Task { [bulk] in try await bulk.reserve(lot.independent) }))
            }
        } catch let error as RecordsError {
            end = .failed(error)
        } catch is CancellationError {
            end = .interrupted
        }
        while !running.isEmpty { try await finishFirst() }
        return end
    }

    /// Reserves the rest of a chunk, the look-alikes of earlier rows, once all chunks before it are done.
    private func finish(_ lot: Lot, _ outcomes: [Reserved]) async throws -> [ReservedRow] {
        var rows = lot.rows
        for (open, outcome) in zip(lot.names.filter { !$0.dependsOnEarlier }, outcomes) {
            rows[open.row].take(outcome)
        }
        let left = lot.names.filter(\.dependsOnEarlier)
        guard !left.isEmpty else { return rows }
        let decided = try await Task { [bulk] in try await bulk.reserve(left.map(\.name), areKnown: true) }.value
        for (open, outcome) in zip(left, decided) { rows[open.row].take(outcome) }
        return rows
    }
}

/// The rows of a chunk, and the handles to be reserved.
struct Lot: Sendable {
    private(set) var rows: [ReservedRow] = []
    private(set) var names: [Open] = []

    struct Open: Sendable {
        /// Index in `rows`.
        let row: Int
        let name: NameToReserve
        /// True if it looks like the handle of an earlier row.
        let dependsOnEarlier: Bool
    }

    init(_ judged: JudgedChunk, _ registry: Registry, _ defaults: ReserveDefaults, now: Date) {
        let words = registry.words
        rows.reserveCapacity(judged.rows.count)
        names.reserveCapacity(judged.rows.count)
        for index in judged.rows.indices {
            var row = ReservedRow(index, judged, words, registry.policy)
            if let name = row.name(index, judged, defaults, now: now) {
                names.append(
                    Open(row: index, name: name, dependsOnEarlier: judged.rows[index].duplicate == .lookalike))
            }
            rows.append(row)
        }
    }

    /// The handles that can be decided independently of the other rows.
    var independent: [NameToReserve] { names.filter { !$0.dependsOnEarlier }.map(\.name) }
}
