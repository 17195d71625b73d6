package import HandleRegistry
import HandleRules
package import HandleWords
import NIOConcurrencyHelpers

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
    private let reporter: ValidationReporter
    private let lookups: SharedLookup?

    var memory: Int? { options.memory }
    /// Twice the jobs, so that a chunk is ready when another one is done. With a registry, as many queries run at a time as
    /// there are jobs.
    var width: Int { lookups == nil ? options.jobs * 2 : options.jobs }

    /// - Parameter registry: also checked, unless nil.
    package init(words: ReservedWords, policy: Policy, registry: Registry? = nil, options: Options) {
        self.options = options
        reporter = ValidationReporter(
            style: options.style, words: words, policy: policy, stopsAtRefused: options.stopsAtRefused)
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
        let reader = try ChunkReader(path: path, selection: options.selection, chunkSize: chunkSize)
        opened(reader.layout.note)
        let judge = Judge(layout: reader.layout, words: reporter.words)
        // Holds refused rows until the repairs are known.
        let spool = options.style.hasRepairs ? try Spool() : nil
        try valid?.write(Array(options.style.validHeader.utf8))
        try refused.write(Array(options.style.refusedHeader.utf8))
        var run = RowRun()
        try await run.run(self, reader, judge) { report in
            try valid?.write(report.valid)
            if let spool { try spool.write(report.rows) } else { try refused.write(report.rows) }
        } progress: {
            progress($0)
        }
        if let spool { try await repair(spool, judge.fingerprinter, &run, refused) }
        run.summary.seconds = (ContinuousClock.now - start) / .seconds(1)
        return run.summary
    }

    func perform(_ chunk: JudgedChunk) async throws -> ChunkReport {
        guard let lookups else { return reporter.report(chunk) }
        var chunk = chunk
        try await chunk.lookUp(in: lookups.lookup(expecting: chunk.expectedNames))
        return reporter.report(chunk)
    }

    /// Writes the spooled rows with their repairs; after a cancellation or a fault without them.
    private func repair(
        _ spool: Spool, _ fingerprinter: Fingerprinter, _ run: inout RowRun, _ refused: OutputFile
    ) async throws {
        var names = run.summary.end.hasPerformedAll ? run.names : nil
        var repairer: Repairer?
        try await spool.forEachBlock { entries in
            var repairs: ArraySlice<DisplayHandle?> = []
            do {
                try Task.checkCancellation()
                if let taken = names {
                    repairer = Repairer(
                        words: reporter.words, policy: reporter.policy, fingerprinter: fingerprinter,
                        lookup: try await lookups?.lookup(expecting: run.summary.counts.rows), taken: taken)
                    names = nil
                }
                repairs = try await repairer?.repairs(for: entries.compactMap(\.wanted))[...] ?? []
            } catch {
                (repairer, names) = (nil, nil)
                run.summary.end = run.summary.end.or(error)
            }
            var bytes: [UInt8] = []
            for entry in entries {
                bytes += entry.text
                bytes += options.style.ending(repair: entry.wanted == nil ? nil : repairs.popFirst() ?? nil)
            }
            try refused.write(bytes)
        }
    }
}

/// The look-up of all chunks. The first chunk decides how the registry is asked, and the others wait for that.
private final class SharedLookup: Sendable {
    private let registry: Registry
    private let task = NIOLockedValueBox<Task<BulkLookup, any Error>?>(nil)

    init(_ registry: Registry) { self.registry = registry }

    /// - Throws: `PostgresError`; `CancellationError`.
    func lookup(expecting names: Int) async throws -> BulkLookup {
        let task = task.withLockedValue { task in
            let made = task ?? Task { [registry] in try await BulkLookup(registry, expectedNames: names) }
            task = made
            return made
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
