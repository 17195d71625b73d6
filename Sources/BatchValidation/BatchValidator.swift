package import HandleCore
package import HandleRegistry
package import Records

/// Validates a file of names, however long, and accounts for every row.
///
/// Chunks of the file are judged and written at the same time; what depends on the order of the rows, which is to find
/// duplicates and to write the reports, is done one chunk after the other. So the output is the same for any number of
/// jobs.
package struct BatchValidator {
    package struct Options: Sendable {
        package var selection = Selection()
        package var style: ReportStyle
        /// Chunks that are worked on at the same time.
        package var jobs: Int
        /// Whether to stop at the first row that is refused.
        package var stopsAtRefused = false
        /// The most bytes for finding duplicates.
        package var memory = 1 << 30

        package init(style: ReportStyle, jobs: Int) {
            self.style = style
            self.jobs = jobs
        }
    }

    /// So small that what is made of a chunk stays in the processor's caches.
    private static let chunkSize = 256 * 1024

    private let words: ReservedWords
    private let policy: Policy
    private let registry: Registry?
    private let options: Options

    /// - Parameter registry: asked as well, when there is one.
    package init(words: ReservedWords, policy: Policy, registry: Registry? = nil, options: Options) {
        self.words = words
        self.policy = policy
        self.registry = registry
        self.options = options
    }

    /// Validates the file at `path`, `-` for the standard input.
    /// - Parameters:
    ///   - valid: where valid rows go, when they have a report of their own.
    ///   - refused: where the others go.
    ///   - progress: called after every chunk.
    /// - Throws: `RecordsError` when the file can't be begun, ``BatchError``.
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
