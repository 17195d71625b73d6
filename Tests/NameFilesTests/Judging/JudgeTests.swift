import HandleRegistry
import HandleRules
import HandleWords
import NameFiles
import TestSupport
import Testing

@testable import NameFiles

@Suite struct JudgeTests {
    private let scratch = Scratch()

    /// Judges the names as one chunk.
    private func judge(_ names: [[UInt8]], _ words: ReservedWords) throws -> JudgedChunk {
        let file = try scratch.file("names.txt", names.joined(separator: [UInt8(ascii: "\n")]) + [UInt8(ascii: "\n")])
        let reader = try ChunkReader(path: file, selection: Selection(format: .lines), chunkSize: 1 << 25)
        let chunk = try #require(try reader.next())
        return Judge(layout: reader.layout, words: words).judge(chunk)
    }

    /// The parts of a decision in which judging a chunk and judging a single name must agree.
    private struct Said: Equatable {
        let status: Decision.Status
        let reasons: [Reason]
        let handle: Handle?
        let display: DisplayHandle?

        init(_ decision: Decision) {
            status = decision.status
            reasons = decision.reasons
            handle = decision.handle
            display = decision.display
        }
    }

    @Test(arguments: [1, 2]) func rowVerdictsEqualTheDecisionsOfSingleNames(_ seed: UInt64) throws {
        let words = try ReservedWords.builtIn()
        var maker = try NameMaker(seed: seed)
        let names = [Array("first".utf8)] + (0..<15_000).map { _ in maker.next() }
        let judged = try judge(names, words)
        try #require(judged.rows.count == names.count)
        var seen: [RowVerdict: Int] = [:]
        for (row, name) in names.enumerated() {
            if name.allSatisfy(\.isBlank) {
                if judged.rows[row].kind != .blank { Issue.record("row \(row) is not blank") }
                continue
            }
            let decided = judged.decision(row, Policy())
            let rowVerdict = judged.rowVerdict(row, Policy())
            seen[rowVerdict, default: 0] += 1
            guard let text = String(validating: name, as: UTF8.self) else {
                if decided != nil || rowVerdict != .unreadable { Issue.record("\(name) is not UTF-8") }
                continue
            }
            let decision = Decision.decide(text, words)
            // Not with #expect, which takes longer than the judging.
            guard let decided, Said(decided) == Said(decision) else {
                Issue.record("\(name) \(text): \(decision.reasons), not \(String(describing: decided?.reasons))")
                continue
            }
            let expected: RowVerdict =
                switch decision.status {
                case .available: .valid
                case .unavailable: .unavailable
                case .invalid: .invalid
                }
            if rowVerdict != expected { Issue.record("\(name) is \(rowVerdict)") }
        }
        for verdict in [RowVerdict.valid, .invalid, .unavailable, .unreadable] {
            #expect(seen[verdict, default: 0] > 300, "\(verdict)")
        }
    }
}
