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
        _ input: String, _ format: ReportStyle.Format, _ valid: ReportStyle.Valid = .apart, policy: Policy = Policy()
    ) async throws -> Outcome {
        let job = ValidateJob(
            words: try ReservedWords.builtIn(), policy: policy,
            options: .init(style: ReportStyle(format: format, valid: valid), jobs: 2))
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
        let valid = try CSVTable("\(scratch.path)/valid", columns: 9)
        let refused = try CSVTable("\(scratch.path)/refused", columns: 9)
        let header = Array("line,record,input,handle,display,result,reasons,duplicate,first_line".utf8)
        #expect(valid.header == header && refused.header == header)
        let numbers = [valid, refused].map { table in table.rows.indices.compactMap { Int(table.text($0, 1)) } }
        #expect(Set(numbers[0] + numbers[1]).count == counts.rows && (numbers[0] + numbers[1]).max() ?? 0 <= rows)
        #expect(numbers[0] == numbers[0].sorted() && numbers[1] == numbers[1].sorted())
        #expect(numbers[0].count + numbers[1].count == counts.rows && counts.rows + counts.blank == rows)
        #expect(counts[.valid] == valid.rows.count && counts.refused == refused.rows.count)
        let verdicts = Dictionary(grouping: refused.rows.indices) { refused.text($0, 5) }.mapValues(\.count)
        for verdict in [RowVerdict.invalid, .unavailable, .duplicate, .unreadable] {
            #expect(verdicts[verdict.code.description, default: 0] == counts[verdict])
            #expect(counts[verdict] > 20)
        }
        #expect(counts[.unreadable] >= Sample.damaged(rows))
        let kinds = valid.rows.indices.map { valid.text($0, 7) } + refused.rows.indices.map { refused.text($0, 7) }
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
            valid: try CSVTable("\(scratch.path)/valid", columns: 9),
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
            #expect(object["result"] as? String == "valid" && tables.valid.text(row, 5) == "valid")
            #expect((object["reasons"] as? [Any])?.isEmpty == true)
        }
        for (row, object) in refused.enumerated() {
            let verdict = tables.refused.text(row, 5)
            let codes = tables.refused.text(row, 6).split(separator: ";").map { String($0.split(separator: ":")[0]) }
            #expect(object["line"] as? Int == Int(tables.refused.text(row, 0)))
            #expect(object["record"] as? Int == Int(tables.refused.text(row, 1)))
            #expect(object["result"] as? String == verdict)
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

    @Test func reportsNameTheLineWhereARecordBegins() async throws {
        let file = try scratch.file("a.csv", "\nusername,note\nAlice,\"1\n2\"\n\nal1ce,x\nalice,\"\n\n\"\nx,y\n".utf8)
        let outcome = try await run(file, .csv, .left)
        #expect(
            String(decoding: outcome.refused, as: UTF8.self) == """
                line,record,input,handle,display,result,reasons,duplicate,first_line
                7,4,alice,alice,alice,duplicate,,capitals,3
                10,5,x,,,invalid,too_short:1,,

                """)
        #expect(outcome.summary.counts[Duplicate.lookalike] == 1)
        #expect(
            outcome.summary.remarks == [
                "1 blank line skipped.",
                "2 records with several lines, the first in lines 3 to 4: look whether a quote is missing.",
            ])
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
        #expect(String(decoding: lax.valid, as: UTF8.self).contains("2,2,a1ice,a1ice,a1ice,valid,,lookalike,1\n"))
    }
}
