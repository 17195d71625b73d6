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

    /// Repairs need all names of the file, so nothing is written when they don't fit into the memory.
    @Test(arguments: [true, false]) func moreNamesThanTheMemoryHoldsEndTheRun(_ hasRepairs: Bool) async throws {
        let names = ["jane.roe", "x"] + (0..<70_000).map { distinctName($0) }
        let file = try scratch.file("a.txt", names.joined(separator: "\n").utf8)
        do {
            let summary = try await run(file, memory: hasRepairs ? 2 << 20 : 1 << 20, hasRepairs: hasRepairs)
            if case .failed(let error) = summary.end { throw error }
            Issue.record("the names fitted into the memory")
        } catch let error as BatchError {
            #expect(error.code == .tooLarge && error.description.contains("--memory"))
        }
        let table = try CSVTable("\(scratch.path)/refused", columns: hasRepairs ? 10 : 9)
        #expect(table.rows.indices.map { table.text($0, 2) } == (hasRepairs ? [] : ["jane.roe", "x"]))
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
