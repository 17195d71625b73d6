import HandleRules

/// Work on the rows of a file of names: validate, claim, reserve, make other changes, or undo them.
protocol RowJob: Sendable {
    /// The result of ``perform(_:)``, which ``finish(_:)`` completes.
    associatedtype Work: Sendable

    /// Chunks that are performed at a time.
    var width: Int { get }
    /// True to report a chunk that was performed although the one before it failed. The report then has a gap.
    var finishesAfterFault: Bool { get }
    /// Memory limit for finding duplicates, in bytes; nil to find none.
    var memory: Int? { get }

    /// Does the work that can be done beside that of other chunks.
    /// - Throws: errors that end the run. No further chunk begins then.
    func perform(_ chunk: JudgedChunk) async throws -> Work

    /// True if these chunks are settled together, without further ones. All of them are in memory.
    func isWindow(_ works: [Work]) -> Bool

    /// Does the work that needs the rows of several chunks, after the chunks before are finished.
    /// - Parameters:
    ///   - works: of a window, or of fewer chunks at the end of the file, in the order of the file.
    ///   - progress: called with the number of their rows that are done, and of those to do.
    /// - Throws: errors that end the run, after the chunks are finished.
    func settle(_ works: inout [Work], progress: (_ done: Int, _ all: Int) -> Void) async throws

    /// Does the rest of the work, after the chunks before are finished, and writes the report.
    func finish(_ work: consuming Work) async throws -> ChunkReport
}

extension RowJob {
    var finishesAfterFault: Bool { false }
    var memory: Int? { 1 << 30 }

    func isWindow(_ works: [Work]) -> Bool { true }

    func settle(_ works: inout [Work], progress: (_ done: Int, _ all: Int) -> Void) async throws {}

    /// Runs to its end even if the task is cancelled, so that the report covers every committed change.
    func uninterrupted<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await Task { try await body() }.value
    }
}

extension RowJob where Work == ChunkReport {
    func finish(_ work: consuming ChunkReport) -> ChunkReport { work }
}

/// The output for one chunk.
struct ChunkReport: Sendable {
    var valid: [UInt8] = []
    /// The rows of the other report, or of the only one.
    var rows: [UInt8] = []
    var counts = Counts()
    /// For a page, if it is wanted.
    var examples = Examples()
    /// The rows that wait for a repair, in their order.
    var wanted: [WantedRepair] = []
    /// Whether the run stops at the last row of this chunk.
    var ends = false
    /// Lines that can't be read and are left out.
    var skipped: [Int] = []
    /// The error that ends the run. The rows of the chunk that are done are in the report.
    var fault: (any Error)?
}
