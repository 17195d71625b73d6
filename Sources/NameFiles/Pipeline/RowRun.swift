import HandleRules
import HandleWords

/// A run of a job over a file of names.
struct RowRun {
    var summary = Summary()
    /// The names of the file; nil if there are none.
    private(set) var names: DuplicateTable?
    /// The error that ends the run.
    private var fault: (any Error)?
    /// The position in the file up to which the rows are finished.
    private var finished = 0

    /// - Parameters:
    ///   - judge: judges the rows before the job gets them.
    ///   - write: called after each chunk, in the order of the file.
    ///   - progress: called after each chunk, and as often as the job settles a part of several chunks.
    /// - Throws: the errors of `write`. All others are the ``Summary/end``.
    mutating func run<Job: RowJob>(
        _ job: Job, _ reader: ChunkReader, _ judge: Judge, write: (ChunkReport) throws -> Void,
        progress: (Progress) -> Void
    ) async throws {
        let start = ContinuousClock.now
        var duplicates = DuplicateFinder(linesBefore: reader.linesBefore, memory: job.memory)
        var bytes = 0
        // Performed chunks that wait to be settled.
        var window: [Job.Work] = []
        var pipeline = FilePipeline(
            reader, width: job.width, finishesAfterFault: job.finishesAfterFault, parse: { judge.judge($0) },
            perform: { try await job.perform($0) })
        summary.end = try await pipeline.run { chunk, isWhole in
            let (position, size) = reader.progress
            try duplicates.find(in: &chunk, ofFileWith: size)
            if reader.layout.format.separator != nil { summary.noteLongRecords(of: chunk) }
            bytes += chunk.records.size
            // As many names for each byte as so far, or two million for a pipe with an unknown end.
            let total = isWhole ? max(position, bytes) : size
            chunk.expectedNames = total.map { duplicates.records * $0 / max(1, bytes) } ?? 2_000_000
        } finish: { work in
            window.append(work)
            guard job.isWindow(window) else { return true }
            return try await finish(job, &window, reader, write, progress)
        }
        if !window.isEmpty { _ = try await finish(job, &window, reader, write, progress) }
        if let fault { summary.end = RunEnd(fault) }
        names = duplicates.names
        summary.groups = names?.groups.largestFirst ?? []
        summary.openLine = reader.endsWithLineEnd ? nil : duplicates.lines
        summary.seconds = (ContinuousClock.now - start) / .seconds(1)
    }

    /// Settles and finishes chunks.
    /// - Parameter window: the works of the chunks; empty afterwards.
    /// - Returns: false if the run is to stop.
    private mutating func finish<Job: RowJob>(
        _ job: Job, _ window: inout [Job.Work], _ reader: ChunkReader, _ write: (ChunkReport) throws -> Void,
        _ progress: (Progress) -> Void
    ) async throws -> Bool {
        let (rows, start) = (summary.counts.rows, finished)
        var settled = rows
        let (position, size) = reader.progress
        var works: [Job.Work] = []
        swap(&works, &window)
        do {
            try await job.settle(&works) { done, all in
                settled = rows + done
                let share = Double(done) / Double(max(all, 1))
                let place = start + Int(share * Double(position - start))
                progress(Progress(rows: settled, position: place, size: size))
            }
        } catch {
            fault = error
        }
        finished = position
        for work in works {
            let report: ChunkReport
            do {
                report = try await job.finish(work)
            } catch {
                fault = fault ?? error
                return false
            }
            try write(report)
            summary.counts.add(report.counts)
            summary.examples.add(report.examples)
            summary.skipped += report.skipped
            progress(Progress(rows: max(settled, summary.counts.rows), position: position, size: size))
            fault = fault ?? report.fault
            if report.ends { return false }
        }
        return fault == nil
    }
}

extension RowJob {
    /// Runs a job that writes one report.
    func run(
        _ reader: ChunkReader, _ judge: Judge, _ reporter: ChangeReporter, _ file: OutputFile,
        _ progress: (Progress) -> Void
    ) async throws -> Summary {
        try file.write(reporter.header)
        var run = RowRun()
        try await run.run(self, reader, judge) {
            try file.write($0.rows)
        } progress: {
            progress($0)
        }
        return run.summary
    }
}
