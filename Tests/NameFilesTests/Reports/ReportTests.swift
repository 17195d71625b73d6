import Foundation
import HandleRegistry
import HandleRules
import HandleWords
import NameFiles
import TestSupport
import Testing

@testable import NameFiles

@Suite struct ReportTests {
    private let scratch = Scratch()

    private struct Outcome {
        let summary: Summary
        let valid: [UInt8]
        let refused: [UInt8]
    }

    private func run(
        _ input: String, _ format: ReportStyle.Format, _ valid: ReportStyle.Valid = .apart, jobs: Int = 2,
        stopsAtRefused: Bool = false, isRaw: Bool = false, policy: Policy = Policy(), registry: Registry? = nil,
        memory: Int = 1 << 30
    ) async throws -> Outcome {
        var options = ValidateJob.Options(
            style: ReportStyle(format: format, valid: valid, isRaw: isRaw), jobs: jobs)
        options.stopsAtRefused = stopsAtRefused
        options.memory = memory
        let job = ValidateJob(
            words: try ReservedWords.builtIn(), policy: policy, registry: registry, options: options)
        let reports = (
            valid: valid == .apart ? try OutputFile(path: "\(scratch.path)/valid", input: input) : nil,
            refused: try OutputFile(path: "\(scratch.path)/refused", input: input)
        )
        let summary = try await job.run(path: input, valid: reports.valid, refused: reports.refused) { _ in }
        return Outcome(
            summary: summary, valid: valid == .apart ? try scratch.contents("valid") : [],
            refused: try scratch.contents("refused"))
    }

    private func sample(_ sample: Sample, rows: Int) throws -> String {
        try scratch.file(sample.rawValue, sample.bytes(rows: rows))
    }

    /// The objects of a report that has one JSON object a line.
    private func objects(_ report: [UInt8]) throws -> [[String: Any]] {
        try report.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast().map {
            try #require(try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any])
        }
    }

    @Test(arguments: Sample.allCases) func csvReportsHaveEveryRowOnce(_ kind: Sample) async throws {
        let rows = 6000
        let outcome = try await run(try sample(kind, rows: rows), .csv)
        let counts = outcome.summary.counts
        let valid = try CSVTable("\(scratch.path)/valid", columns: 7)
        let refused = try CSVTable("\(scratch.path)/refused", columns: 9)
        #expect(valid.header == Array("line,record,input,handle,display,duplicate,first_line".utf8))
        #expect(refused.header == Array("line,record,input,handle,display,verdict,reasons,duplicate,first_line".utf8))
        let numbers = [valid, refused].map { table in table.rows.indices.compactMap { Int(table.text($0, 1)) } }
        #expect((numbers[0] + numbers[1]).sorted() == Array(1...rows))
        #expect(numbers[0] == numbers[0].sorted() && numbers[1] == numbers[1].sorted())
        #expect(counts.rows == rows)
        #expect(counts[.valid] == valid.rows.count && counts.refused == refused.rows.count)
        let verdicts = Dictionary(grouping: refused.rows.indices) { refused.text($0, 5) }.mapValues(\.count)
        for verdict in [RowVerdict.invalid, .unavailable, .duplicate, .unreadable] {
            #expect(verdicts[verdict.code.description, default: 0] == counts[verdict])
            #expect(counts[verdict] > 20)
        }
        #expect(counts[.unreadable] >= Sample.damaged(rows))
        let kinds = valid.rows.indices.map { valid.text($0, 5) } + refused.rows.indices.map { refused.text($0, 7) }
        for kind in Duplicate.allCases {
            #expect(kinds.count { $0 == kind.code.description } == counts[kind])
        }
        try expectReasons(refused, counts)
    }

    /// Checks that the reason codes in the report are those counted. Every refused row has a reason, except duplicates.
    private func expectReasons(_ refused: CSVTable, _ counts: Counts) throws {
        var reasons: [String: Int] = [:]
        for row in refused.rows.indices {
            let codes = refused.text(row, 6).split(separator: ";").map { $0.split(separator: ":")[0] }
            #expect(codes.isEmpty == (refused.text(row, 5) == "duplicate"))
            for code in codes { reasons[String(code), default: 0] += 1 }
        }
        for code in Reason.Code.allCases { #expect(reasons[code.rawValue, default: 0] == counts[code], "\(code)") }
    }

    @Test(arguments: Sample.allCases) func jsonReportsSayTheSameAsCSVReports(_ kind: Sample) async throws {
        let file = try sample(kind, rows: 3000)
        let csv = try await run(file, .csv)
        let tables = (
            valid: try CSVTable("\(scratch.path)/valid", columns: 7),
            refused: try CSVTable("\(scratch.path)/refused", columns: 9)
        )
        let json = try await run(file, .json)
        #expect(json.summary.counts == csv.summary.counts)
        let valid = try objects(json.valid)
        let refused = try objects(json.refused)
        try #require(valid.count == tables.valid.rows.count && refused.count == tables.refused.rows.count)
        for (row, object) in valid.enumerated() {
            #expect(object["line"] as? Int == Int(tables.valid.text(row, 0)))
            #expect(object["record"] as? Int == Int(tables.valid.text(row, 1)))
            #expect(object["handle"] as? String == tables.valid.text(row, 3))
            #expect(object["display"] as? String == tables.valid.text(row, 4))
            #expect(object["verdict"] as? String == "valid" && object["status"] as? String == "available")
            #expect((object["reasons"] as? [Any])?.isEmpty == true)
        }
        for (row, object) in refused.enumerated() {
            let verdict = tables.refused.text(row, 5)
            let codes = tables.refused.text(row, 6).split(separator: ";").map { String($0.split(separator: ":")[0]) }
            #expect(object["line"] as? Int == Int(tables.refused.text(row, 0)))
            #expect(object["record"] as? Int == Int(tables.refused.text(row, 1)))
            #expect(object["verdict"] as? String == verdict)
            #expect(object["duplicate"] as? String ?? "" == tables.refused.text(row, 7))
            #expect(object["first_line"] as? Int == Int(tables.refused.text(row, 8)))
            if verdict == "unreadable" {
                let fault = object["fault"] as? [String: Any]
                #expect((fault?["code"] as? String)?.split(separator: ":").first.map { [String($0)] } == codes)
                #expect((fault?["message"] as? String)?.isEmpty == false)
            } else {
                let reasons = (object["reasons"] as? [[String: Any]])?.compactMap { $0["code"] as? String }
                #expect(reasons == codes)
            }
        }
    }

    /// A file of several chunks, which the jobs finish in any order.
    @Test(arguments: [ReportStyle.Format.csv, .json]) func reportsAreTheSameForAnyNumberOfJobs(
        _ format: ReportStyle.Format
    ) async throws {
        let name = String(repeating: "x", count: format == .csv ? 40 : 400)
        var maker = try NameMaker(seed: 8)
        var bytes = Array("note,username,id\n".utf8)
        for row in 0..<(format == .csv ? 16_000 : 2600) {
            bytes +=
                Array("\(name),".utf8) + (row % 9 == 0 ? [0xFF] : maker.letters(count: 2...6)) + Array(",\(row)\n".utf8)
        }
        try #require(bytes.count > 3 * 256 * 1024)
        let file = try scratch.file("many.csv", bytes)
        let first = try await run(file, format, jobs: 1)
        #expect(first.summary.counts[Duplicate.lookalike] > 0 && first.summary.counts[.duplicate] > 0)
        for jobs in [1, 2, 3, 8] {
            let other = try await run(file, format, jobs: jobs)
            // Compared outside #expect, which would print both reports.
            let isSame = other.valid == first.valid && other.refused == first.refused
            #expect(isSame, "\(jobs) jobs")
            #expect(other.summary.counts == first.summary.counts)
            #expect(other.summary.groups.map(\.rows) == first.summary.groups.map(\.rows))
            #expect(other.summary.groups.map(\.line) == first.summary.groups.map(\.line))
        }
    }

    @Test func reportsNameTheLineWhereARecordBegins() async throws {
        let file = try scratch.file("a.csv", "\nusername,note\nAlice,\"1\n2\"\n\nal1ce,x\nalice,\"\n\n\"\nx,y\n".utf8)
        let outcome = try await run(file, .csv, .left)
        #expect(
            String(decoding: outcome.refused, as: UTF8.self) == """
                line,record,input,handle,display,verdict,reasons,duplicate,first_line
                5,2,,,,unreadable,empty_row,,
                7,4,alice,alice,alice,duplicate,,capitals,3
                10,5,x,,,invalid,too_short:1,,

                """)
        #expect(outcome.summary.counts[Duplicate.lookalike] == 1)
    }

    /// A record that is too long to be kept in memory, between whole chunks.
    @Test(arguments: [ReportStyle.Format.csv, .json]) func tooLongRowIsReportedAndCounted(
        _ format: ReportStyle.Format
    ) async throws {
        let some = (0..<200).map { "jane_\($0 * 7)\n" }.joined()
        let file = try scratch.file(
            "a.txt", (some + String(repeating: "x", count: 1_500_000) + "\n" + some).utf8)
        let outcome = try await run(file, format)
        #expect(outcome.summary.counts.rows == 401 && outcome.summary.counts[.unreadable] == 1)
        #expect(outcome.summary.counts[.duplicate] == 200)
        let refused = String(decoding: outcome.refused, as: UTF8.self)
        let expected = format == .json ? #""code":"row_too_long""# : "row_too_long:1500000"
        #expect(refused.contains(expected) && (format == .csv || refused.contains(#""bytes":1500000"#)))
        #expect(format == .json || refused.contains("\n202,202,jane_0,jane_0,jane_0,duplicate,,exact,1\n"))
    }

    @Test func strictPolicyRefusesLookalikes() async throws {
        let file = try scratch.file("a.txt", "alice\na1ice\nbob\n".utf8)
        var policy = Policy()
        policy.lookalikes = .strict
        let outcome = try await run(file, .csv, policy: policy)
        #expect(
            String(decoding: outcome.refused, as: UTF8.self).split(separator: "\n").dropFirst() == [
                "2,2,a1ice,a1ice,a1ice,duplicate,,lookalike,1"
            ])
        let lax = try await run(file, .csv)
        #expect(lax.summary.counts.refused == 0)
        #expect(String(decoding: lax.valid, as: UTF8.self).contains("2,2,a1ice,a1ice,a1ice,lookalike,1\n"))
    }

    @Test func validRowsAreReportedTogetherWithOthersOrLeftOut() async throws {
        let file = try scratch.file("a.txt", "alice\nx\nbob\n".utf8)
        let together = try await run(file, .json, .together)
        let verdicts = try objects(together.refused).map { $0["verdict"] as? String }
        #expect(verdicts == ["valid", "invalid", "valid"])
        let left = try await run(file, .json, .left)
        let others = try objects(left.refused).map { $0["line"] as? Int }
        #expect(others == [2])
    }

    @Test(arguments: [ReportStyle.Format.csv, .json]) func reportsEndAtTheFirstRefusedRowOnRequest(
        _ format: ReportStyle.Format
    ) async throws {
        let names = (0..<40_000).map { row in row == 31_000 || row == 31_001 ? "x" : "jane_\(row)" }
        let file = try scratch.file("a.txt", names.joined(separator: "\n").utf8)
        let outcome = try await run(file, format, jobs: 3, stopsAtRefused: true)
        #expect(outcome.summary.counts.rows == 31_001)
        #expect(outcome.summary.counts.refused == 1)
        guard case .stopped = outcome.summary.end else {
            Issue.record("\(outcome.summary.end)")
            return
        }
        let lines = [outcome.valid, outcome.refused].map { $0.count { $0 == UInt8(ascii: "\n") } }
        #expect(lines == (format == .csv ? [31_001, 2] : [31_000, 1]))
    }

    @Test func summarySaysThatTheLastLineHasNoEnd() async throws {
        let cut = try await run(try scratch.file("a.txt", "alice\nbo".utf8), .csv)
        #expect(cut.summary.endsInsideLine)
        let whole = try await run(try scratch.file("b.txt", "alice\nbob\n".utf8), .csv)
        #expect(!whole.summary.endsInsideLine)
        let empty = try await run(try scratch.file("c.txt", [UInt8]()), .csv)
        #expect(!empty.summary.endsInsideLine && empty.summary.counts.rows == 0)
    }

    /// Raw reports have the bytes of the input.
    @Test func rawReportsHaveTheNamesOfTheInputByteForByte() async throws {
        var maker = try NameMaker(seed: 12)
        let names = (0..<3000).map { _ in maker.next() }.filter { $0.last != UInt8(ascii: "\r") }
        let file = try scratch.file(
            "a.txt", [Array("first\n".utf8), names.joined(separator: [0x0A]) + [0x0A]].joined())
        _ = try await run(file, .csv, isRaw: true)
        var found: [Int: [UInt8]] = [:]
        for (report, columns) in [("valid", 7), ("refused", 9)] {
            let table = try CSVTable("\(scratch.path)/\(report)", columns: columns)
            for row in table.rows.indices { found[Int(table.text(row, 1)) ?? 0] = table.rows[row][2] }
        }
        #expect(found.count == names.count + 1)
        for (row, name) in names.enumerated() where found[row + 2] != name {
            Issue.record("\(name) is \(String(describing: found[row + 2]))")
        }
    }
}
