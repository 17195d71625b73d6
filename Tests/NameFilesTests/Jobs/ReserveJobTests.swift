import HandleRegistry
import HandleRules
import HandleWords
import NIOConcurrencyHelpers
import NameFiles
import TestSupport
import Testing

@testable import NameFiles

@Suite struct ReserveJobTests {
    private let scratch = Scratch()

    /// Rows that are reserved, and rows of every other kind.
    private static func rows(_ random: inout SeededGenerator) -> [String] {
        (0..<1000).map { row in
            let name = distinctName(Int.random(in: 0..<1500, using: &random))
            let owner = ["", "org-1"][Int.random(in: 0..<2, using: &random)]
            return switch Int.random(in: 0..<12, using: &random) {
            case 0, 1: "\(name)_,,\(owner),"
            case 2: "\(name),\(name.uppercased()),\(owner),"
            case 3: "\(name),other_name,,"
            case 4: "\(name)!,,,"
            case 5: "alone"
            case 6: "\(name),,,2001-01-01"
            default: "\(name),,\(owner),"
            }
        }
    }

    private func file(_ rows: [String]) throws -> String {
        try scratch.file("names.csv", ("handle,display,owner,until\n" + rows.map { $0 + "\n" }.joined()).utf8)
    }

    private func job(_ registry: Registry, lotSize: Int, window: Int, undo: String = "undo.csv") -> ReserveJob {
        var job = ReserveJob(
            registry: registry, defaults: ReserveDefaults(reason: "ours", owner: nil, until: nil),
            allowingLookalikes: false, actor: "test", format: .csv, isDryRun: false,
            undo: UndoFile(path: "\(scratch.path)/\(undo)"))
        (job.lotSize, job.window.chunks) = (lotSize, window)
        return job
    }

    /// - Returns: the lines of the report, without its header.
    private func run(
        _ job: ReserveJob, _ file: String, chunkSize: Int, progress: (Progress) -> Void = { _ in }
    ) async throws -> (lines: [String], summary: Summary) {
        let report = try OutputFile(path: "\(scratch.path)/report", input: "/nothing")
        let reader = try ReserveJob.reader(path: file, Selection(), chunkSize: chunkSize)
        let summary = try await job.run(reader, report: report, progress: progress)
        let text = String(decoding: try scratch.contents("report"), as: UTF8.self)
        return (text.split(separator: "\n").dropFirst().map(String.init), summary)
    }

    private func contents(_ registry: Registry) async throws -> [String] {
        try await lines(registry, withHistory: true).map {
            String($0.replacing(#/"(at|since|sha256)":"[^"]*"/#, with: ""))
        }
    }

    private func reservedNames(_ registry: Registry) async throws -> Int {
        try await lines(registry).count { $0.contains(#""state":"reserved""#) }
    }

    /// Neither the report nor the registry shows the lots and the chunks.
    @Test(arguments: [UInt64(1), 2, 3])
    func sizesOfLotsAndChunksDoNotChangeTheResult(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let file = try file(Self.rows(&random))
        let registry = try await freshRegistry()
        let whole = try await run(job(registry, lotSize: 1000, window: 32), file, chunkSize: 1 << 20)
        for verdict in [RowVerdict.done, .invalid, .unavailable, .duplicate, .unreadable] {
            #expect(whole.summary.counts[verdict] > 0, "\(verdict)")
        }
        #expect(whole.lines.map { $0.prefix { $0 != "," } } == (2...1001).map { "\($0)" })
        for (lotSize, window, chunkSize) in [(7, 3, 300), (1, 1, 100), (50, 2, 3000), (120, 4, 9000)] {
            let other = try await freshRegistry()
            let parts = try await run(job(other, lotSize: lotSize, window: window), file, chunkSize: chunkSize)
            #expect(parts.lines == whole.lines)
            #expect(parts.summary.counts == whole.summary.counts)
            #expect(try await contents(other) == contents(registry))
        }
        #expect(try await discrepancies(registry).isEmpty)
    }

    /// The names of an interrupted run that are in the registry are those that it reports.
    @Test func interruptedRunReportsWhatItHasReserved() async throws {
        var random = SeededGenerator(seed: 4)
        let rows = Self.rows(&random)
        let (file, registry) = (try file(rows), try await freshRegistry())
        let interrupted = try await Task {
            try await run(job(registry, lotSize: 10, window: 4), file, chunkSize: 2000) { _ in
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }.value
        guard case .interrupted = interrupted.summary.end else {
            Issue.record("\(interrupted.summary.end)")
            return
        }
        // Two lots at most.
        let reserved = interrupted.lines.filter { $0.contains(",reserved,") }
        #expect((1...20).contains(reserved.count))
        #expect(interrupted.summary.counts[.done] == reserved.count)
        #expect(try await reservedNames(registry) == reserved.count)
        let again = try await run(job(registry, lotSize: 10, window: 4), file, chunkSize: 2000)
        let other = try await freshRegistry()
        let whole = try await run(job(other, lotSize: 1000, window: 32), file, chunkSize: 1 << 20)
        #expect(again.lines.map { $0.replacing(",already,", with: ",reserved,") } == whole.lines)
        #expect(again.summary.counts[.already] == reserved.count)
        #expect(try await contents(registry) == contents(other))
    }

    /// The progress of a run over 200 names, and the size of their file.
    private func progress(
        lotSize: Int, window: (chunks: Int, rows: Int)
    ) async throws -> (rows: [Int], positions: [Int], size: Int) {
        let names = (0..<200).map { distinctName($0) + "\n" }.joined()
        let file = try scratch.file("names.txt", names.utf8)
        var job = job(try await freshRegistry(), lotSize: lotSize, window: window.chunks)
        job.window = window
        var seen: [Progress] = []
        _ = try await run(job, file, chunkSize: 100) { seen.append($0) }
        let (rows, positions) = (seen.map(\.rows), seen.map(\.position))
        #expect(rows.last == 200 && positions.last == names.utf8.count)
        #expect(rows == rows.sorted() && positions == positions.sorted())
        return (rows, positions, names.utf8.count)
    }

    @Test func progressGrowsWithEachLot() async throws {
        let (rows, positions, size) = try await progress(lotSize: 20, window: (64, 1000))
        #expect(rows.prefix(10) == (1...10).map { $0 * 20 }[...])
        #expect(positions.prefix(10) == (1...10).map { size * $0 / 10 }[...])
    }

    @Test(arguments: [(1000, (1000, 50), 2...4), (5, (2, 1000), 40...60)])
    func windowEndsAtItsNumberOfRowsOrChunks(
        _ lotSize: Int, _ window: (Int, Int), _ steps: ClosedRange<Int>
    ) async throws {
        #expect(steps.contains(Set(try await progress(lotSize: lotSize, window: window).rows).count))
    }

    /// Three lots of new names, and one of a look-alike.
    @Test func noLotBeginsAfterOneThatFailed() async throws {
        struct Fault: Error {}
        let names = (0..<3).map { distinctName($0) }
        let reader = try ReserveJob.reader(names: names + [names[0] + "_"])
        let judge = Judge(layout: reader.layout, words: try await freshRegistry().words)
        var chunk = judge.judge(try #require(try reader.next()))
        var duplicates = DuplicateFinder(linesBefore: 0, memory: 1 << 30)
        try duplicates.find(in: &chunk, ofFileWith: nil)
        let begun = NIOLockedValueBox<[Bool]>([])
        var finished = 0
        await #expect(throws: Fault.self) {
            try await ReserveLots([chunk], size: 1).run(width: 1) { lot in
                begun.withLockedValue { $0.append(lot.areLookalikes) }
                if begun.withLockedValue(\.count) == 2 { throw Fault() }
            } finish: { _, _ in
                finished += 1
            }
        }
        #expect(begun.withLockedValue(\.self) == [false, false])
        #expect(finished == 1)
    }
}
