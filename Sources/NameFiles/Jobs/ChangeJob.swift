package import HandleRegistry
import HandleRules

/// Releases, renames or assigns the handles of a file, as each row says. Safe to repeat; every row is reported.
///
/// The changes are made in the order of the rows. A row with the same handle as an earlier row is a duplicate.
package struct ChangeJob<Made: Change>: RowJob where Made.Outcome == ChangeOutcome {
    private let registry: Registry
    private let bulk: BulkChange
    private let kind: ChangeReporter.Change
    private let columns: ChangeColumns
    private let options: ChangeOptions
    /// The change that a row asks for.
    private let change: @Sendable (_ handle: DisplayHandle, _ fields: RowFields) throws(RecordFault) -> Made
    /// Set when the run begins.
    private var reporter: ChangeReporter?

    let width = 1
    private static var chunkSize: Int { 64 * 1024 }

    fileprivate init(
        _ registry: Registry, _ kind: ChangeReporter.Change, _ columns: ChangeColumns, _ options: ChangeOptions,
        _ change: @escaping @Sendable (DisplayHandle, RowFields) throws(RecordFault) -> Made
    ) {
        (self.registry, self.kind, self.columns, self.options) = (registry, kind, columns, options)
        self.change = change
        bulk = BulkChange(registry, isDryRun: options.isDryRun, noting: options.undo?.note)
    }

    /// Makes the changes of the file at `path`; `-` is the standard input.
    /// - Parameters:
    ///   - selection: the column of the handles. The others are found by their names.
    ///   - named: the columns of some of the others, such as `owner`.
    ///   - confirm: called with the number of rows before the first change; nil to count no rows.
    ///   - report: gets every row, in the order of the file.
    ///   - opened: gets the lines that say how the file is understood.
    ///   - progress: called after each chunk.
    /// - Returns: the summary. Rows that were reported are done, however the run ended.
    /// - Throws: `RecordsError` if the start of the file can't be read; ``BatchError`` if the report can't be written;
    ///   errors of `confirm`.
    package func run(
        path: String, selection: Selection, named: [String: Selection.Column] = [:],
        confirm: ((_ rows: Int) async throws -> Void)? = nil, report: OutputFile, opened: (String) -> Void = { _ in },
        progress: (Progress) -> Void
    ) async throws -> Summary {
        var selection = selection
        let roles = columns.others.map(\.role)
        selection.columns = selection.columns.prefix(1) + zip(columns.others, roles).map { named[$1] ?? $0 }
        selection.roles = ["handle"] + roles
        (selection.usual, selection.ids) = (columns.usual, columns.ids)
        let file = try JobFile(path: path, selection, chunkSize: Self.chunkSize, isReadTwice: confirm != nil)
        let reader = try file.open()
        opened(reader.layout.note)
        try await confirm?(file.rows())
        let reporter = ChangeReporter(options.format, kind, reader.layout)
        var job = self
        job.reporter = reporter
        return try await job.run(
            reader, Judge(layout: reader.layout, words: registry.words), reporter, report, progress)
    }

    func perform(_ chunk: JudgedChunk) async throws -> ChunkReport {
        var rows: [RowResult] = []
        var changes: [(row: Int, change: Made)] = []
        for index in chunk.rows.indices {
            var row = RowResult(index, of: chunk, wordsCount: false)
            let fields = RowFields(chunk: chunk, row: index)
            row.owner = columns.owner.map { chunk.field(index, column: $0) }
            row.new = columns.new.map { chunk.field(index, column: $0) }
            row.carried = reporter?.columns.fields(index, of: chunk) ?? []
            if row.verdict == nil, let display = row.display {
                do throws(RecordFault) {
                    changes.append((index, try change(display, fields)))
                } catch {
                    row.refuse(error)
                }
            }
            rows.append(row)
        }
        let made = try await uninterrupted { [bulk, changes] in await bulk.make(changes.map(\.change)) }
        for ((row, _), outcome) in zip(changes, made.outcomes) {
            switch (outcome, kind) {
            case (nil, _): break
            // It is free, as the row wants it.
            case (.refused(.notClaimed)?, .release): rows[row].verdict = .already
            case (let outcome?, _): rows[row].take(outcome)
            }
        }
        var report = reporter?.report(rows) ?? ChunkReport()
        report.fault = made.fault
        return report
    }
}

/// Options of all jobs that make changes.
package struct ChangeOptions: Sendable {
    /// The reason is for rows without their own.
    fileprivate let cause: Cause
    fileprivate let format: ChangeReporter.Format
    fileprivate let isDryRun: Bool
    fileprivate let undo: UndoFile?

    /// - Parameters:
    ///   - isDryRun: true to report the results that the changes would have, and change nothing.
    ///   - undo: the undo file; the handles are written to it before they are changed.
    package init(_ cause: Cause, _ format: ChangeReporter.Format, isDryRun: Bool, undo: UndoFile?) {
        (self.cause, self.format, self.isDryRun, self.undo) = (cause, format, isDryRun, undo)
    }
}

/// The columns of a file of changes.
private struct ChangeColumns: Sendable {
    /// Those after the column of the handle, by their roles.
    let others: [Selection.Column]
    /// Names of the column of the handle.
    var usual = HeaderWord.handle
    /// The index of the column of the owner that gets the handle, counting that of the handle.
    var owner: Int?
    /// The index of the column of the new handle.
    var new: Int?
    /// The indices of the columns with owners.
    var ids: Set<Int> = []
}

extension Selection.Column {
    /// The use of a column that is found by its meaning.
    fileprivate var role: String {
        switch self {
        case .name(let name), .meaning(let name), .optional(let name): name
        case .number, .usual: ""
        }
    }
}

extension ChangeJob<Release> {
    /// Ends claims, holds and reservations. The file may have the column `reason`.
    /// - Parameter isFinal: true to free claimed handles at once, and quarantined ones too.
    package init(releasing registry: Registry, atOnce isFinal: Bool, _ options: ChangeOptions) {
        let cause = options.cause
        self.init(registry, .release, ChangeColumns(others: [.optional("reason")]), options) {
            (display, fields) throws(RecordFault) in
            Release(display.handle, atOnce: isFinal, cause.with(try fields.reason(1)))
        }
    }
}

extension ChangeJob<Rename> {
    /// Gives owners new handles. The file has the columns `new` and `owner`, and may have `reason`.
    /// - Parameters:
    ///   - takes: true to reserve the old handles. Each row needs a reason then.
    ///   - isForwarded: true if old handles in quarantine lead to their owners' present ones.
    package init(
        renaming registry: Registry, taking takes: Bool, forwarding isForwarded: Bool = false, _ options: ChangeOptions
    ) {
        let cause = options.cause
        let columns = ChangeColumns(
            others: [.meaning("new"), .meaning("owner"), .optional("reason")], usual: HeaderWord.old, owner: 2, new: 1,
            ids: [2])
        self.init(registry, .rename, columns, options) { (display, fields) throws(RecordFault) in
            let new = try fields.text(1) ?? ""
            guard let owner = try fields.owner(2) else { throw .badOwner }
            let cause = cause.with(try fields.reason(3))
            guard !takes || cause.reason != nil else { throw .badReason }
            return Rename(
                display.handle, to: new, for: owner, takingBecause: takes ? cause.reason : nil,
                forwarding: isForwarded, cause)
        }
    }
}

extension ChangeJob<Assign> {
    /// Gives handles to owners, also handles in use. The file has the column `to`, and may have `from` and `reason`.
    /// - Parameter allowsLookalikes: true if handles may look like protected ones of other owners.
    package init(assigning registry: Registry, allowingLookalikes allowsLookalikes: Bool, _ options: ChangeOptions) {
        let cause = options.cause
        let columns = ChangeColumns(
            others: [.meaning("to"), .optional("from"), .optional("reason")], owner: 1, ids: [1, 2])
        self.init(registry, .assign, columns, options) { (display, fields) throws(RecordFault) in
            guard let owner = try fields.owner(1) else { throw .badOwner }
            let former = try fields.owner(2)
            let cause = cause.with(try fields.reason(3))
            guard cause.reason != nil else { throw .badReason }
            return Assign(
                display.description, to: owner, allowingLookalike: allowsLookalikes, if: Precondition(owner: former),
                cause)
        }
    }
}

extension Cause {
    /// The same with the reason of a row, if it has one.
    fileprivate func with(_ reason: String?) -> Cause { Cause(by: actor, reason: reason ?? self.reason) }
}
