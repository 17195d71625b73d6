package import HandleRegistry
package import RecordFiles

/// Measures how many names of files the reserved words refuse, before and after proposed changes. Several files are
/// measured as if they were one.
///
/// The result is the same for any number of jobs.
package struct MeasureRun {
    package struct Options: Sendable {
        package var selection = Selection()
        /// Number of chunks that are processed in parallel.
        package var jobs: Int
        /// Memory limit in bytes for finding names with the same look-alike key; nil to find none.
        package var memory: Int?
        /// Whether differences are written as JSON instead of CSV.
        package var isJSON = false

        package init(jobs: Int) { self.jobs = jobs }
    }

    private let job: MeasureJob
    /// That of the first file: names of all files are compared, so they need the same fingerprints.
    private var fingerprinter: Fingerprinter?
    private var run = RowRun()

    package init(words: ProposedWords, options: Options) {
        job = MeasureJob(words: words, options: options)
    }

    /// True if a file was opened, and the report of differences begun.
    package var hasBegun: Bool { fingerprinter != nil }
    /// The figures of the files so far.
    package var measurement: WordMeasurement { job.measured }
    /// The rows of the files so far. Well-formed names are counted as valid, also refused ones.
    package var summary: Summary { run.summary }
    /// The names that look like each other, if they are looked for.
    package var keys: SharedKeys? { job.memory == nil ? nil : run.names?.sharedKeys ?? SharedKeys() }

    /// Measures one file more.
    /// - Parameters:
    ///   - source: the open file.
    ///   - path: of the file; `-` is the standard input.
    ///   - differences: gets a row for every name that is newly refused or newly free; nil for none.
    ///   - progress: called after every chunk.
    /// - Throws: `RecordsError` when reading can't start; ``BatchError`` when the differences can't be written;
    ///   `CancellationError` before the first chunk. All other errors are the end of the summary.
    package mutating func add(
        _ source: ByteSource, path: String, differences: OutputFile?, progress: (Progress) -> Void
    ) async throws {
        let reader = try ChunkReader(source, path: path, selection: job.options.selection)
        let judge = Judge(layout: reader.layout, words: job.words.before, fingerprinter: fingerprinter)
        if !hasBegun { try differences?.write(job.header) }
        fingerprinter = judge.fingerprinter
        try await run.run(job, reader, judge) {
            try differences?.write($0.rows)
        } progress: {
            progress($0)
        }
    }
}
