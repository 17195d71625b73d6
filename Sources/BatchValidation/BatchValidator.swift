public import HandleCore
public import HandleRegistry
public import Records

/// Validates a file of names, however long, and accounts for every row.
///
/// Chunks of the file are judged and written at the same time; what depends on the order of the rows, which is to find
/// duplicates and to write the reports, is done one chunk after the other. So the output is the same for any number of
/// jobs.
public struct BatchValidator {
    public struct Options: Sendable {
        public var selection = Selection()
        public var style: ReportStyle
        /// Chunks that are worked on at the same time.
        public var jobs: Int
        /// Whether to stop at the first row that is refused.
        public var stopsAtRefused = false
        /// The most bytes for finding duplicates.
        public var memory = 1 << 30

        public init(style: ReportStyle, jobs: Int) {
            self.style = style
            self.jobs = jobs
        }
    }

    private let words: ReservedWords
    private let policy: Policy
    private let options: Options

    public init(words: ReservedWords, policy: Policy, options: Options) {
        self.words = words
        self.policy = policy
        self.options = options
    }

    /// Validates the file at `path`, `-` for the standard input.
    /// - Parameters:
    ///   - valid: where valid rows go, when they have a report of their own.
    ///   - refused: where the others go.
    ///   - progress: called after every chunk.
    /// - Throws: `RecordsError` when the file can't be begun, ``BatchError``.
    public func run(
        path: String, valid: ReportFile?, refused: ReportFile, progress: (Progress) -> Void
    ) async throws -> Summary {
        let start = ContinuousClock.now
        let reader = try ChunkReader(path: path, selection: options.selection)
        var run = try Run(reader, options, words, policy, valid: valid, refused: refused)
        try await run.work(progress)
        run.summary.groups = run.groups
        run.summary.seconds = (ContinuousClock.now - start) / .seconds(1)
        return run.summary
    }
}

/// One run over one file.
private struct Run {
    private let reader: ChunkReader
    private let judge: Judge
    private let reporter: ChunkReporter
    private let jobs: Int
    private let valid: ReportFile?
    private let refused: ReportFile
    /// Made with the first chunk, which tells about how many names there are.
    private var duplicates: DuplicateTable?
    private let memory: Int
    private var before: (records: Int, lines: Int)
    /// What has been done, and waits for its turn.
    private var judged = Waiting<JudgedChunk>()
    private var reports = Waiting<ChunkReport>()
    /// Chunks given out, and whether there are more.
    private var taken = 0
    private var isAtEnd = false
    var summary = Summary()

    init(
        _ reader: ChunkReader, _ options: BatchValidator.Options, _ words: ReservedWords, _ policy: Policy,
        valid: ReportFile?, refused: ReportFile
    ) throws {
        var random = SystemRandomNumberGenerator()
        self.reader = reader
        judge = Judge(layout: reader.layout, words: words, fingerprinter: Fingerprinter(using: &random))
        reporter = ChunkReporter(
            style: options.style, words: words, policy: policy, stopsAtRefused: options.stopsAtRefused)
        jobs = max(1, options.jobs)
        self.valid = valid
        self.refused = refused
        before = (0, reader.linesBefore)
        memory = options.memory
        try valid?.write(Array(options.style.validHeader.utf8))
        try refused.write(Array(options.style.refusedHeader.utf8))
    }

    var groups: [LargestGroups.Group] { duplicates?.groups.largestFirst ?? [] }

    private enum Step: Sendable {
        case judged(Int, JudgedChunk)
        case reported(Int, ChunkReport)
    }

    /// Goes through the file to its end, or to where it has to stop.
    mutating func work(_ progress: (Progress) -> Void) async throws {
        try await withThrowingTaskGroup(of: Step.self) { group in
            var running = 0
            while true {
                // Two chunks for each job: one at work and one that is ready when it is done.
                while running < jobs * 2, taken - reports.next < jobs * 4, let (number, chunk) = try nextChunk() {
                    group.addTask { [judge] in .judged(number, judge.judge(chunk)) }
                    running += 1
                }
                guard let step = try await group.next() else { break }
                running -= 1
                switch step {
                case .judged(let number, let chunk):
                    judged.put(chunk, at: number)
                    while var chunk = judged.takeNext() {
                        try findDuplicates(in: &chunk)
                        let number = judged.next - 1
                        group.addTask { [reporter, chunk] in .reported(number, reporter.report(chunk)) }
                        running += 1
                    }
                case .reported(let number, let report):
                    reports.put(report, at: number)
                    while let report = reports.takeNext(), !isStopped {
                        try write(report)
                        let (position, size) = reader.progress
                        progress(Progress(rows: summary.counts.rows, position: position, size: size))
                    }
                }
                if isStopped { break }
            }
            group.cancelAll()
        }
        summary.endsInsideLine = isAtEnd && !reader.endsWithLineEnd && summary.counts.rows > 0
    }

    private var isStopped: Bool {
        if case .stopped = summary.end { true } else { false }
    }

    private mutating func nextChunk() throws -> (Int, Chunk)? {
        guard !isAtEnd else { return nil }
        do {
            try Task.checkCancellation()
            if let chunk = try reader.next() {
                taken += 1
                return (taken - 1, chunk)
            }
            isAtEnd = true
        } catch let error as RecordsError {
            (isAtEnd, summary.end) = (true, .failed(error))
        } catch is CancellationError {
            (isAtEnd, summary.end) = (true, .interrupted)
        }
        return nil
    }

    private mutating func findDuplicates(in chunk: inout JudgedChunk) throws {
        chunk.before = before
        before.records += chunk.records.count
        before.lines += chunk.records.lineCount
        let (lines, records) = (chunk.before.lines, chunk.records)
        if duplicates == nil {
            let expected = Double(chunk.rows.count) / Double(max(1, chunk.chunk.count)) * Double(reader.progress.size ?? 0)
            duplicates = try DuplicateTable(expectedNames: Int(expected), budget: memory)
        }
        try duplicates?.insert(chunk.names, in: &chunk.rows) { lines + records.line($0) + 1 }
    }

    private mutating func write(_ report: ChunkReport) throws {
        try valid?.write(report.valid)
        try refused.write(report.refused)
        summary.counts.add(report.counts)
        if report.ends { summary.end = .stopped }
    }
}

/// Results that come in any order and are wanted in that of their numbers.
private struct Waiting<Element> {
    private var elements: [Int: Element] = [:]
    /// The number of the next to be taken.
    private(set) var next = 0

    mutating func put(_ element: Element, at number: Int) { elements[number] = element }

    mutating func takeNext() -> Element? {
        guard let element = elements.removeValue(forKey: next) else { return nil }
        next += 1
        return element
    }
}
