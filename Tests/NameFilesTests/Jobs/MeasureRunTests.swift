import Foundation
import HandleCore
import HandleRegistry
import RecordFiles
import TestSupport
import Testing

@testable import NameFiles

/// Files of names measured by the reserved words.
@Suite struct MeasureRunTests {
    private let scratch = Scratch()
    private let changes: [WordChange] = [
        .add("zebra", .affix, category: "=brands, \"ours\""), .remove("store"),
    ]

    /// Measures files, and returns the run and the report of differences.
    private func measure(
        _ paths: [String], _ changes: [WordChange]? = nil, jobs: Int = 2, memory: Int? = nil, isJSON: Bool = false
    ) async throws -> (run: MeasureRun, differences: String) {
        var options = MeasureRun.Options(jobs: jobs)
        options.memory = memory
        options.isJSON = isJSON
        var run = MeasureRun(words: try .builtIn(with: changes ?? self.changes), options: options)
        let file = try OutputFile(path: "\(scratch.path)/newly", inputs: paths)
        for path in paths { try await run.add(ByteSource(path: path), path: path, differences: file) { _ in } }
        return (run, String(decoding: try scratch.contents("newly"), as: UTF8.self))
    }

    @Test func differencesAreWrittenInTheOrderOfTheFile() async throws {
        let file = try scratch.file("names.txt", "Real_Zebra\njohndoe\nstore\nz3bra\nadmin\nzebra\nst0re\n".utf8)
        let (run, differences) = try await measure([file])
        #expect(
            differences == """
                name,change,word,way,category
                real_zebra,refused,zebra,affix,"'=brands, ""ours""\"
                store,free,store,spelled,payment
                z3bra,refused,zebra,looks,"'=brands, ""ours""\"
                zebra,refused,zebra,spelled,"'=brands, ""ours""\"
                st0re,free,store,looks,payment

                """)
        #expect(run.measurement.names == 7)
        #expect(run.measurement.refused == .init(before: 3, after: 4))
        let json = try await measure([file], isJSON: true).differences.split(separator: "\n")
        #expect(json.count == 5)
        #expect(
            json[0]
                == #"{"name":"real_zebra","change":"refused","word":"zebra","way":"affix","category":"=brands, \"ours\""}"#
        )
    }

    @Test func onlyWellFormedNamesAreMeasured() async throws {
        let rows = "id,username\n1,zebra\n2,_zebra\n3,ze bra\n4\n5,zebrazebrazebra1\n6,ｚｅｂｒａ\n7,\n8,@Zebra\n"
        let (run, differences) = try await measure([try scratch.file("names.csv", rows.utf8)])
        #expect(run.measurement.names == 3)
        #expect(run.measurement[.spelled] == .init(before: 0, after: 3))
        #expect(run.summary.counts[.valid] == 3)
        #expect(run.summary.counts[.invalid] == 4)
        #expect(run.summary.counts[.unreadable] == 1)
        #expect(run.summary.counts.faults == ["ragged_row": 1])
        #expect(differences.split(separator: "\n").count == 4)
    }

    /// The file has several chunks, which finish in any order.
    @Test func numberOfJobsChangesNothing() async throws {
        var maker = try NameMaker(seed: 3)
        var bytes: [UInt8] = []
        while bytes.count < 700_000 {
            bytes += bytes.count % 7 == 0 ? Array("zebra\(bytes.count % 100)".utf8) : maker.next()
            bytes.append(UInt8(ascii: "\n"))
        }
        let file = try scratch.file("names.txt", bytes)
        let one = try await measure([file], jobs: 1, memory: 1 << 30)
        let many = try await measure([file], jobs: 4, memory: 1 << 30)
        #expect(one.run.measurement == many.run.measurement)
        #expect(one.run.keys == many.run.keys)
        #expect(one.differences == many.differences)
        #expect(one.run.measurement.newlyRefused.count > 1000)
        #expect(one.run.measurement.disguises.before > 1000)
        #expect(
            one.differences.split(separator: "\n").count == 1 + one.run.measurement.newlyRefused.count
                + one.run.measurement.newlyFree.count)
    }

    @Test func severalFilesAreMeasuredAsOne() async throws {
        let first = try scratch.file("one.txt", "zebra\nmarnie\nkite1\n".utf8)
        let second = try scratch.file("two.csv", "username,id\nz3bra,1\nmamie,2\nkite1,3\nmarrue,4\n".utf8)
        let (run, differences) = try await measure([first, second], memory: 1 << 30)
        #expect(run.measurement.names == 7)
        #expect(differences.split(separator: "\n").count == 3)
        #expect(run.summary.counts.rows == 7)
        // Two pairs across the files: z3bra looks like zebra, and mamie like marnie. The second kite1 is the same name.
        #expect(run.keys?.names == 6)
        #expect(run.keys?.alike == 4)
        #expect(run.keys?.groups == 2)
        #expect(try await measure([first, second]).run.keys == nil)
    }

    @Test func measurementWithoutEditsWritesNoDifference() async throws {
        let file = try scratch.file("names.txt", "admin\nadm1n\n".utf8)
        let (run, differences) = try await measure([file], [])
        #expect(differences == "name,change,word,way,category\n")
        #expect(run.measurement.refused == .init(before: 2, after: 2))
    }

    @Test func missingFileLeavesTheReportOfDifferences() async throws {
        let report = try scratch.file("newly", "an older one\n".utf8)
        await #expect(throws: RecordsError.self) { try await measure(["\(scratch.path)/nothing"]) }
        #expect(try String(contentsOfFile: report, encoding: .utf8) == "an older one\n")
    }

    @Test func tooManyNamesForTheMemoryEndTheRun() async throws {
        let names = (0..<130_000).map { "n\($0)x\n" }.joined()
        let file = try scratch.file("names.txt", names.utf8)
        let (run, _) = try await measure([file], memory: 2 << 20)
        guard case .failed(let error) = run.summary.end else {
            Issue.record("the run ended with \(run.summary.end)")
            return
        }
        #expect((error as? BatchError)?.code == .tooLarge)
    }
}
