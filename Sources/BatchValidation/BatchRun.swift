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
    /// Where refused rows wait for a repair, when they are to have one.
    private let spool: Spool?
    private let style: ReportStyle
    private var duplicates: DuplicateFinder
    /// What has been done, and waits for its turn.
    private var judged = Waiting<JudgedChunk>()
    /// Chunks that are to be looked up in the registry, and how many groups of them are being.
    private var lookups = LookupGroup()
    /// Made with the first group.
    private var lookup: BulkLookup?
    private var lookingUp = 0
    private var reports = Waiting<ChunkReport>()
    /// Chunks given out, and whether there are more.
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

    /// Goes through the file to its end, or to where it has to stop.
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

    /// The next step that is done; nil when there are no more, or a look-up was interrupted.
    private mutating func nextStep(of group: inout ThrowingTaskGroup<Step, any Error>) async throws -> Step? {
        do {
            return try await group.next()
        } catch is CancellationError {
            summary.end = .interrupted
            return nil
        }
    }

    /// Four chunks for each job: some at work, and some that are ready when these are done. With look-ups more of them,
    /// as these are done in groups.
    private var mayTakeMore: Bool { taken - reports.next < jobs * (registry == nil ? 4 : 12) && !isAtEnd }

    private func report(_ chunk: JudgedChunk, _ number: Int, _ group: inout ThrowingTaskGroup<Step, any Error>) {
        group.addTask { [reporter] in .reported(number, reporter.report(chunk)) }
    }

    /// Asks the registry about the next chunks: in groups, as many at a time as there are jobs.
    private mutating func lookUpNext(_ group: inout ThrowingTaskGroup<Step, any Error>) {
        // The first group finds out how to look up, which the others wait for.
        guard let registry, lookingUp < (lookup == nil ? 1 : jobs), !lookups.chunks.isEmpty else { return }
        // Not yet, when more will come while others are under way.
        if lookups.names < BulkLookup.longest, lookingUp > 0 || judged.next < taken { return }
        lookingUp += 1
        let expected = expectedNames
        group.addTask { [lookups, lookup] in
            let lookup = if let lookup { lookup } else { try await BulkLookup(registry, expectedNames: expected) }
            return .lookedUp(try await lookups.lookedUp(in: lookup), lookup)
        }
        lookups = LookupGroup()
    }

    /// How many names there are about: as many as ten bytes each make, and very many in a pipe that goes on.
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

    /// Writes the rows that waited for it with their repairs; without them when there is no time.
    mutating func repair() async throws {
        guard let spool else { return }
        var repairer: Repairer?
        if let names = duplicates.names, !Task.isCancelled {
            if lookup == nil, let registry {
                lookup = try await BulkLookup(registry, expectedNames: summary.counts.rows)
            }
            repairer = Repairer(
                words: reporter.words, fingerprinter: judge.fingerprinter, lookup: lookup, taken: names)
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
