import HandleCore
import RecordFiles

/// A run of a job over a file of names, or over several files as if they were one.
struct RowRun {
    var summary = Summary()
    /// The names of the files; nil if there are none.
    private(set) var names: DuplicateTable?

    /// Adds a file to the run.
    /// - Parameters:
    ///   - judge: judges the rows before the job gets them.
    ///   - write: called after each chunk, in the order of the file.
    ///   - progress: called after each chunk.
    /// - Throws: the errors of `write`. All others are the ``Summary/end``.
    mutating func run<Job: RowJob>(
        _ job: Job, _ reader: ChunkReader, _ judge: Judge, write: (ChunkReport) throws -> Void,
        progress: (Progress) -> Void
    ) async throws {
        let start = ContinuousClock.now
        var duplicates = DuplicateFinder(linesBefore: reader.linesBefore, memory: job.memory, besides: names)
        var fault: (any Error)?
        var bytes = 0
        var pipeline = FilePipeline(
            reader, width: job.width, finishesAfterFault: job.finishesAfterFault, parse: { judge.judge($0) },
            perform: { try await job.perform($0) })
        summary.end = try await pipeline.run { chunk, isWhole in
            let (position, size) = reader.progress
            try duplicates.find(in: &chunk, ofFileWith: size)
            bytes += chunk.chunk.count
            // As many names for each byte as so far, or two million for a pipe with an unknown end.
            let total = isWhole ? max(position, bytes) : size
            chunk.expectedNames = total.map { duplicates.records * $0 / max(1, bytes) } ?? 2_000_000
        } finish: { work in
            let report: ChunkReport
            do {
                report = try await job.finish(work)
            } catch {
                fault = error
                return false
            }
            try write(report)
            summary.counts.add(report.counts)
            summary.skipped += report.skipped
            let (position, size) = reader.progress
            progress(Progress(rows: summary.counts.rows, position: position, size: size))
            fault = report.fault
            return !report.ends && fault == nil
        }
        if let fault { summary.end = RunEnd(fault) }
        names = duplicates.names
        summary.groups = names?.groups.largestFirst ?? []
        summary.endsInsideLine = !reader.endsWithLineEnd && summary.counts.rows > 0
        summary.seconds += (ContinuousClock.now - start) / .seconds(1)
    }
}

extension RowJob {
    /// Runs a job that writes one report.
    func run(
        _ reader: ChunkReader, words: ReservedWords, _ reporter: ChangeReporter, _ file: OutputFile,
        _ progress: (Progress) -> Void
    ) async throws -> Summary {
        try file.write(reporter.header)
        var run = RowRun()
        try await run.run(self, reader, Judge(layout: reader.layout, words: words)) {
            try file.write($0.rows)
        } progress: {
            progress($0)
        }
        return run.summary
    }
}
