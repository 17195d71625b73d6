import Foundation
import HandleRegistry
import HandleRules
import HandleWords
import NameFiles
import TestSupport
import Testing

@testable import NameFiles

/// The ways in which a validation ends.
@Suite struct ValidateEndTests {
    private let scratch = Scratch()

    private func run(_ input: String, memory: Int = 1 << 30, hasRepairs: Bool = false) async throws -> Summary {
        var options = ValidateJob.Options(style: ReportStyle(format: .csv, valid: .left), jobs: 2)
        options.style.hasRepairs = hasRepairs
        options.memory = memory
        let job = ValidateJob(words: try ReservedWords.builtIn(), policy: Policy(), options: options)
        let refused = try OutputFile(path: "\(scratch.path)/refused", input: input)
        return try await job.run(path: input, valid: nil, refused: refused) { _ in }
    }

    @Test func truncatedInputIsReportedAfterItsReadableRows() async throws {
        let gzip = Process()
        gzip.executableURL = URL(fileURLWithPath: "/bin/sh")
        let names = (0..<20_000).map { "jane_\($0 &* 7919 % 20_011)" }.joined(separator: "\n")
        let plain = try scratch.file("a.txt", names.utf8)
        gzip.arguments = ["-c", "gzip -c '\(plain)' | head -c 20000 > '\(plain).gz'"]
        try gzip.run()
        await gzip.ended()
        let summary = try await run("\(plain).gz")
        guard case .failed(let error) = summary.end else {
            Issue.record("\(summary.end)")
            return
        }
        #expect("\(error)".contains("is cut"))
        let table = try CSVTable("\(scratch.path)/refused", columns: 9)
        #expect(summary.counts.rows > 1000 && summary.counts.rows < 20_000)
        #expect(summary.counts[.valid] >= summary.counts.rows - 1)
        let others = table.rows.map { String(decoding: $0[6], as: UTF8.self) }.filter { $0 != "cut_row" }
        #expect(others.isEmpty)
    }

    @Test func fullReportDeviceThrowsCannotWrite() async throws {
        let file = try scratch.file("a.txt", "alice\nx\n".utf8)
        let job = ValidateJob(
            words: try ReservedWords.builtIn(), policy: Policy(),
            options: .init(style: ReportStyle(format: .csv, valid: .left), jobs: 2))
        let full = try OutputFile(path: "/dev/full", input: file)
        let error = await #expect(throws: BatchError.self) {
            _ = try await job.run(path: file, valid: nil, refused: full) { _ in }
        }
        #expect(error?.code == .cannotWrite)
    }

    @Test func moreNamesThanTheMemoryHoldsEndTheRun() async throws {
        let names = (0..<70_000).map { "jane_\(String($0, radix: 16))" }.joined(separator: "\n")
        let file = try scratch.file("a.txt", names.utf8)
        guard case .failed(let error as BatchError) = try await run(file, memory: 1 << 20).end else {
            Issue.record("the names fitted into the memory")
            return
        }
        #expect(error.code == .tooLarge)
        #expect(error.description.contains("--memory"))
    }

    /// Rows wait for their repairs in a temporary file. They are not lost when the run fails.
    @Test func refusedRowsBeforeAFaultAreWrittenWithoutRepairs() async throws {
        let names = ["jane.roe", "x"] + (0..<70_000).map { "jane_\(String($0, radix: 16))" }
        let file = try scratch.file("a.txt", names.joined(separator: "\n").utf8)
        let summary = try await run(file, memory: 1 << 20, hasRepairs: true)
        guard case .failed(let error as BatchError) = summary.end else {
            Issue.record("the names fitted into the memory")
            return
        }
        #expect(error.code == .tooLarge)
        let table = try CSVTable("\(scratch.path)/refused", columns: 10)
        #expect(table.rows.indices.map { table.text($0, 2) } == ["jane.roe", "x"])
        #expect(table.rows.indices.map { table.text($0, 9) } == ["", ""])
        #expect(summary.counts.refused == 2)
    }

    @Test func progressReachesTheRowsAndBytesOfTheFile() async throws {
        let names = (0..<60_000).map { "jane_\($0)" }.joined(separator: "\n")
        let file = try scratch.file("a.txt", names.utf8)
        let job = ValidateJob(
            words: try ReservedWords.builtIn(), policy: Policy(),
            options: .init(style: ReportStyle(format: .csv, valid: .left), jobs: 2))
        var seen: [NameFiles.Progress] = []
        let refused = try OutputFile(path: "\(scratch.path)/refused", input: file)
        let summary = try await job.run(path: file, valid: nil, refused: refused) { seen.append($0) }
        #expect(seen.count > 2)
        let rows = seen.map(\.rows)
        #expect(rows == rows.sorted())
        #expect(rows.last == summary.counts.rows && seen.last?.position == names.utf8.count)
        let areAllOfTheFile = seen.allSatisfy { $0.size == names.utf8.count }
        #expect(areAllOfTheFile)
    }
}
