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

    private func run(
        _ input: String, memory: Int = 1 << 30, hasRepairs: Bool = false,
        progress: (NameFiles.Progress) -> Void = { _ in }
    ) async throws -> Summary {
        var options = ValidateJob.Options(style: ReportStyle(format: .csv, valid: .left), jobs: 2)
        options.style.hasRepairs = hasRepairs
        options.memory = memory
        let job = ValidateJob(words: try ReservedWords.builtIn(), policy: Policy(), options: options)
        let refused = try OutputFile(path: "\(scratch.path)/refused", input: input)
        return try await job.run(path: input, valid: nil, refused: refused, progress: progress)
    }

    /// More names than the memory holds end the run. Rows wait for their repairs in a temporary file. They are not lost when the run fails.
    @Test func refusedRowsBeforeAFaultAreWrittenWithoutRepairs() async throws {
        let names = ["jane.roe", "x"] + (0..<70_000).map { "jane_\(String($0, radix: 16))" }
        let file = try scratch.file("a.txt", names.joined(separator: "\n").utf8)
        let summary = try await run(file, memory: 1 << 20, hasRepairs: true)
        guard case .failed(let error as BatchError) = summary.end else {
            Issue.record("the names fitted into the memory")
            return
        }
        #expect(error.code == .tooLarge && error.description.contains("--memory"))
        let table = try CSVTable("\(scratch.path)/refused", columns: 10)
        #expect(table.rows.indices.map { table.text($0, 2) } == ["jane.roe", "x"])
        #expect(table.rows.indices.map { table.text($0, 9) } == ["", ""])
        #expect(summary.counts.refused == 2)
    }

    @Test func progressReachesTheRowsAndBytesOfTheFile() async throws {
        let names = (0..<60_000).map { "jane_\($0)" }.joined(separator: "\n")
        let file = try scratch.file("a.txt", names.utf8)
        var seen: [NameFiles.Progress] = []
        let summary = try await run(file) { seen.append($0) }
        #expect(seen.count > 2)
        let rows = seen.map(\.rows)
        #expect(rows == rows.sorted())
        #expect(rows.last == summary.counts.rows && seen.last?.position == names.utf8.count)
        let areAllOfTheFile = seen.allSatisfy { $0.size == names.utf8.count }
        #expect(areAllOfTheFile)
    }
}
