package import HandleRegistry
import HandleRules
package import HandleWords

/// Validates a file of names of any length and reports on every row.
///
/// The output is the same for any number of jobs.
package struct ValidateJob: RowJob {
    package struct Options: Sendable {
        package var selection = Selection()
        package var style: ReportStyle
        /// Number of chunks that are processed in parallel.
        package var jobs: Int
        /// Whether to stop at the first refused row.
        package var stopsAtRefused = false
        /// Memory limit for finding duplicates, in bytes.
        package var memory = 1 << 30

        package init(style: ReportStyle, jobs: Int) {
            self.style = style
            self.jobs = jobs
        }
    }

    /// Small enough that the data of a chunk stays in the processor's caches. With a registry, each chunk is a query.
    private var chunkSize: Int { (lookups == nil ? 64 : 256) * 1024 }

    private let options: Options
    private let words: ReservedWords
    private let policy: Policy
    private let lookups: SharedLookup?
    /// Set when the run begins.
    private var reporter: ValidationReporter?
    private var repairer: Repairer?

    /// With repairs, the names are in memory twice.
    var memory: Int? { options.style.hasRepairs ? options.memory / 2 : options.memory }
    /// Twice the jobs, so that a chunk is ready when another one is done. With a registry, as many queries run at a time as
    /// there are jobs.
    var width: Int { lookups == nil ? options.jobs * 2 : options.jobs }

    /// - Parameter registry: also checked, unless nil.
    package init(words: ReservedWords, policy: Policy, registry: Registry? = nil, options: Options) {
        self.options = options
        (self.words, self.policy) = (words, policy)
        lookups = registry.map { SharedLookup($0) }
    }

    /// Validates the file at `path`; `-` is the standard input.
    /// - Parameters:
    ///   - valid: the report of valid rows; nil for none.
    ///   - refused: the report of all other rows.
    ///   - opened: gets the lines that say how the file is understood.
    ///   - progress: called after every chunk.
    /// - Throws: `RecordsError` when reading can't start; ``BatchError`` when a report can't be written.
    package func run(
        path: String, valid: OutputFile?, refused: OutputFile, opened: (String) -> Void = { _ in },
        progress: (Progress) -> Void
    ) async throws -> Summary {
        let start = ContinuousClock.now
        let file = try JobFile(
            path: path, options.selection, chunkSize: chunkSize, isReadTwice: options.style.hasRepairs)
        let reader = try file.open()
        opened(reader.layout.note)
        let judge = Judge(layout: reader.layout, words: words)
        let reporter = ValidationReporter(
            style: options.style,
            columns: ReportColumns(options.style.hasRepairs ? ["repair"] : [], reader.layout), words: words,
            policy: policy, stopsAtRefused: options.stopsAtRefused)
        try valid?.write(reporter.header)
        try refused.write(reporter.header)
        var job = self
        job.reporter = reporter
        if options.style.hasRepairs {
            job.repairer = try await file.repairer(
                judge, policy, lookup: lookups, memory: options.memory / 2, jobs: width, progress: progress)
        }
        var run = RowRun()
        try await run.run(job, reader, judge) { report in
            try valid?.write(report.valid)
            try refused.write(report.rows)
        } progress: {
            progress(options.style.hasRepairs ? $0.secondHalf : $0)
        }
        run.summary.seconds = (ContinuousClock.now - start) / .seconds(1)
        return run.summary
    }

    func perform(_ chunk: JudgedChunk) async throws -> ChunkReport {
        guard let reporter else { preconditionFailure("the run has begun") }
        guard let lookups else { return reporter.report(chunk) }
        var chunk = chunk
        try await chunk.lookUp(in: lookups.lookup(expecting: chunk.expectedNames))
        return reporter.report(chunk)
    }

    /// Adds the repairs.
    func finish(_ work: consuming ChunkReport) async throws -> ChunkReport {
        guard let reporter, let repairer, !work.wanted.isEmpty else { return work }
        var report = work
        let rows = report.rows
        report.rows = []
        var written = 0
        for (wanted, repair) in zip(report.wanted, try await repairer.repairs(for: report.wanted)) {
            if options.style.hasExamples { report.examples.note(repair, record: wanted.record) }
            guard let repair else { continue }
            report.counts.repairs += 1
            report.rows += rows[written..<wanted.place]
            report.rows += reporter.text(of: repair)
            written = wanted.place
        }
        report.rows += rows[written...]
        return report
    }
}
