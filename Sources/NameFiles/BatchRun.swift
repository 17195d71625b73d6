import HandleCore
import HandleRegistry
import Records

/// One run over one file.
struct BatchRun {
    private let reader: ChunkReader
    private let judge: Judge
    private let reporter: ChunkReporter
    private let registry: Registry?
    private let jobs: Int
    private let valid: ReportFile?
    private let refused: ReportFile
    /// Holds refused rows until the repairs are known; nil without repairs.
    private let spool: Spool?
    private let style: ReportStyle
    private var duplicates: DuplicateFinder
    /// Judged chunks that wait for the chunks before them.
    private var judged = Waiting<JudgedChunk>()
    /// Chunks for the next look-up in the registry; `lookingUp` counts the look-ups in progress.
    private var lookups = LookupGroup()
    /// Made by the first look-up.
    private var lookup: BulkLookup?
    private var lookingUp = 0
    private var reports = Waiting<ChunkReport>()
    /// Chunks handed to jobs so far; `isAtEnd` is set after the last one.
    private var taken = 0
    private var isAtEnd = false
    var summary = Summary()

    init(
        _ reader: ChunkReader, _ options: BatchValidator.Options, _ words: ReservedWords, _ policy: Policy,
        _ registry: Registry?, valid: ReportFile?, refused: ReportFile
    ) throws {
        var random = SystemRandomNumberGenerator()
        self.reader = reader
        judge = Judge(layout: reader.layout, words: words, fingerprinter: Fingerprinter(using: &random))
        reporter = ChunkReporter(
            style: options.style, words: words, policy: policy, stopsAtRefused: options.stopsAtRefused)
        self.registry = registry
        jobs = max(1, options.jobs)
        self.valid = valid
        self.refused = refused
        style = options.style
        spool = style.hasRepairs ? try Spool() : nil
        duplicates = DuplicateFinder(linesBefore: reader.linesBefore, memory: options.memory)
        try valid?.write(Array(options.style.validHeader.utf8))
        try refused.write(Array(options.style.refusedHeader.utf8))
    }

    var groups: [LargestGroups.Group] { duplicates.names?.groups.largestFirst ?? [] }

    private enum Step: Sendable {
        case judged(Int, JudgedChunk)
        case lookedUp([(number: Int, chunk: JudgedChunk)], BulkLookup)
        case reported(Int, ChunkReport)
    }

    /// Processes the file to its end, or to the row or fault at which it stops.
    mutating func work(_ progress: (Progress) -> Void) async throws {
        try await withThrowingTaskGroup(of: Step.self) { group in
            while true {
                while mayTakeMore, let (number, chunk) = try nextChunk() {
                    group.addTask { [judge] in .judged(number, judge.judge(chunk)) }
                }
                lookUpNext(&group)
                guard let step = try await nextStep(of: &group) else { break }
                switch step {
                case .judged(let number, let chunk):
                    judged.put(chunk, at: number)
                    while var chunk = judged.takeNext() {
                        try duplicates.find(in: &chunk, ofFileWith: reader.progress.size)
                        if registry == nil {
                            report(chunk, judged.next - 1, &group)
                        } else {
                            lookups.add(chunk, number: judged.next - 1)
                        }
                    }
                case .lookedUp(let chunks, let lookup):
                    lookingUp -= 1
                    self.lookup = lookup
                    for (number, chunk) in chunks { report(chunk, number, &group) }
                case .reported(let number, let report):
                    reports.put(report, at: number)
                    while !isStopped, let report = reports.takeNext() {
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

    /// The next finished step; nil when there are no more or the run was cancelled.
    private mutating func nextStep(of group: inout ThrowingTaskGroup<Step, any Error>) async throws -> Step? {
        do {
            return try await group.next()
        } catch is CancellationError {
            summary.end = .interrupted
            return nil
        }
    }

    /// At most four chunks for each job: some in progress, and some that are ready when these are done. With look-ups
    /// twelve, because look-ups are done in groups.
    private var mayTakeMore: Bool { taken - reports.next < jobs * (registry == nil ? 4 : 12) && !isAtEnd }

    private func report(_ chunk: JudgedChunk, _ number: Int, _ group: inout ThrowingTaskGroup<Step, any Error>) {
        group.addTask { [reporter] in .reported(number, reporter.report(chunk)) }
    }

    /// Starts look-ups of the next chunks, one group each, at most as many at a time as there are jobs.
    private mutating func lookUpNext(_ group: inout ThrowingTaskGroup<Step, any Error>) {
        // The first look-up decides how the others are done (see `BulkLookup`), so they wait for it.
        guard let registry, lookingUp < (lookup == nil ? 1 : jobs), !lookups.chunks.isEmpty else { return }
        // Wait for a full group while other look-ups or chunks are in progress.
        if lookups.names < BulkLookup.longest, lookingUp > 0 || judged.next < taken { return }
        lookingUp += 1
        let expected = expectedNames
        group.addTask { [lookups, lookup] in
            let lookup = if let lookup { lookup } else { try await BulkLookup(registry, expectedNames: expected) }
            return .lookedUp(try await lookups.lookedUp(in: lookup), lookup)
        }
        lookups = LookupGroup()
    }

    /// Estimate of the number of names: one for every ten bytes of the file, or two million for a pipe.
    private var expectedNames: Int {
        if isAtEnd { return duplicates.records }
        return reader.progress.size.map { $0 / 10 } ?? 2_000_000
    }

    private var isStopped: Bool {
        if case .stopped = summary.end { true } else { false }
    }

    private mutating func nextChunk() throws -> (Int, Chunk)? {
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

    /// Writes the spooled rows with their repairs; after a cancellation without them.
    mutating func repair() async throws {
        guard let spool else { return }
        var repairer: Repairer?
        if let names = duplicates.names, !Task.isCancelled {
            if lookup == nil, let registry {
                lookup = try await BulkLookup(registry, expectedNames: summary.counts.rows)
            }
            repairer = Repairer(
                words: reporter.words, policy: reporter.policy, fingerprinter: judge.fingerprinter,
                lookup: lookup, taken: names)
        }
        try await spool.forEachBlock { entries in
            var repairs: ArraySlice<DisplayHandle?> = []
            do {
                try Task.checkCancellation()
                repairs = try await repairer?.repairs(for: entries.compactMap(\.wanted))[...] ?? []
            } catch is CancellationError {
                (repairer, summary.end) = (nil, .interrupted)
            }
            var bytes: [UInt8] = []
            for entry in entries {
                bytes += entry.text
                bytes += style.ending(repair: entry.wanted == nil ? nil : repairs.popFirst() ?? nil)
            }
            try refused.write(bytes)
        }
    }

    private mutating func write(_ report: ChunkReport) throws {
        try valid?.write(report.valid)
        if let spool { try spool.write(report.refused) } else { try refused.write(report.refused) }
        summary.counts.add(report.counts)
        if report.ends { summary.end = .stopped }
    }
}
