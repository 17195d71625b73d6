import HandleCore
package import HandleRegistry
package import Records

import struct FoundationEssentials.Date

/// Reserves the names of a file or of a list: safe to repeat, and every row is reported.
///
/// Chunks go in two at a time; a name that looks like that of an earlier row waits for all rows before. So a run that was
/// interrupted and is repeated ends as one would.
package struct BatchReserve: Sendable {
    private let registry: Registry
    private let bulk: BulkReserve
    private let defaults: ReserveDefaults
    private let isDryRun: Bool
    private let allowsLookalikes: Bool
    private let now = Date()

    /// - Parameters:
    ///   - allowsLookalikes: whether names may look like others that are protected.
    ///   - isDryRun: whether to say what would happen, and change nothing.
    ///   - undo: takes down what is reserved.
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

    /// Chunks whose new names are copied at the same time.
    private static let running = 2
    /// The bytes of a chunk: some ten thousands of names, in one transaction of less than a second.
    private static let chunkSize = 512 * 1024
    /// The most bytes for finding duplicates.
    private static let memory = 1 << 30

    /// The columns to read: the name, and the optional ones.
    package static func selection(_ selection: Selection) -> Selection {
        var selection = selection
        selection.columns = Array(selection.columns.prefix(1)) + ReservedRow.columns.map { .optional($0) }
        return selection
    }

    /// Opens a file for ``run(_:report:progress:)``; `-` is the standard input.
    /// - Throws: `RecordsError` when it can't be begun.
    package static func reader(path: String, _ selection: Selection) throws -> ChunkReader {
        try ChunkReader(path: path, selection: self.selection(selection), chunkSize: chunkSize)
    }

    /// Takes names as though they were a file. None has a line break in it.
    package static func reader(names: [String]) throws -> ChunkReader {
        try ChunkReader(lines: names, columns: selection(Selection()).columns, name: "the command line")
    }

    /// Whether the rows may have reasons of their own.
    package static func hasReasons(_ reader: ChunkReader) -> Bool { reader.layout.columns[2] != Layout.noColumn }

    /// Reserves the rows that `reader` gives.
    /// - Parameters:
    ///   - report: is told of every row, in the order of the file.
    ///   - progress: called now and then.
    /// - Returns: how it ended; what was reported has happened in any case.
    /// - Throws: ``BatchError``, `PostgresError`; what the closures throw.
    package func run(
        _ reader: ChunkReader, report: (ReservedRow) throws -> Void,
        progress: (Progress) -> Void
    ) async throws -> Summary.End {
        var random = SystemRandomNumberGenerator()
        let judge = Judge(
            layout: reader.layout, words: registry.words, fingerprinter: Fingerprinter(using: &random))
        var duplicates = DuplicateFinder(linesBefore: reader.linesBefore, memory: Self.memory)
        var rehearsal = Rehearsal(registry: registry, allowsLookalikes: allowsLookalikes)
        var running: [(lot: Lot, task: Task<[ReserveOutcome], any Error>)] = []
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
                // In a task of its own, which is not cancelled: the report says what has been done.
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

    /// Reserves what is left of a lot, once all lots before are done: names that look like earlier ones.
    private func finish(_ lot: Lot, _ outcomes: [ReserveOutcome]) async throws -> [ReservedRow] {
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

/// The rows of a chunk, and the names in them that are to be reserved.
struct Lot: Sendable {
    private(set) var rows: [ReservedRow] = []
    private(set) var names: [Open] = []

    struct Open: Sendable {
        /// The place among the rows.
        let row: Int
        let name: NameToReserve
        /// Whether it looks like the name of an earlier row.
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

    /// The names about which can be decided whatever the other rows say.
    var independent: [NameToReserve] { names.filter { !$0.dependsOnEarlier }.map(\.name) }
}
