package import HandleCore
package import HandleRegistry
package import Records

/// Validates a file of names of any length and reports on every row.
///
/// Chunks of the file are judged and formatted in parallel. Finding duplicates and writing the reports depend on the
/// order of the rows, so they are done one chunk after the other. The output is therefore the same for any number of
/// jobs.
package struct BatchValidator {
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

    /// Small enough that the data of a chunk stays in the processor's caches.
    private static let chunkSize = 256 * 1024

    private let words: ReservedWords
    private let policy: Policy
    private let registry: Registry?
    private let options: Options

    /// - Parameter registry: also checked, unless nil.
    package init(words: ReservedWords, policy: Policy, registry: Registry? = nil, options: Options) {
        self.words = words
        self.policy = policy
        self.registry = registry
        self.options = options
    }

    /// Validates the file at `path`; `-` is the standard input.
    /// - Parameters:
    ///   - valid: the report of valid rows; nil for none.
    ///   - refused: the report of all other rows.
    ///   - progress: called after every chunk.
    /// - Throws: `RecordsError` when reading can't start, ``BatchError``.
    package func run(
        path: String, valid: ReportFile?, refused: ReportFile, progress: (Progress) -> Void
    ) async throws -> Summary {
        let start = ContinuousClock.now
        let reader = try ChunkReader(path: path, selection: options.selection, chunkSize: Self.chunkSize)
        var run = try BatchRun(reader, options, words, policy, registry, valid: valid, refused: refused)
        try await run.work(progress)
        try await run.repair()
        run.summary.groups = run.groups
        run.summary.seconds = (ContinuousClock.now - start) / .seconds(1)
        return run.summary
    }
}
