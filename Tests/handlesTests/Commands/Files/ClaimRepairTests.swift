import Foundation
import TestService
import TestSupport
import Testing

@testable import handles

/// Claims of repairs for the owners of names that can't be had.
@Suite struct ClaimRepairTests {
    private let folder = TestFolder("claim-repair")

    private static let users = """
        id,username,mail
        u1,jürgen.m,a@example.org
        u2,anna_b,b@example.org
        u3,Anna_B,c@example.org
        u2,anna_b,d@example.org
        u4,admin,e@example.org
        ,no.owner,f@example.org
        u5,jürgen.m,g@example.org
        u6,,h@example.org
        u2,other.one,i@example.org

        """

    /// A line of the report: the line number, the result, the reasons, and the repair.
    private func rows(_ report: String) -> [String] {
        report.split(separator: "\n").dropFirst().map { line in
            // No field of these rows but the details has a quoted comma.
            let fields = line.replacing(#/"[^"]*"/#, with: "").split(separator: ",", omittingEmptySubsequences: false)
            return [fields[0], fields[5], fields[6].prefix { $0 != ":" }, fields[11]].joined(separator: " ")
        }
    }

    @Test func ownersGetRepairsOnceAndTheDryRunSaysWhich() async throws {
        let run = try await Commands(in: folder.path)
        let users = try folder.file("users.csv", Self.users)
        let arguments = ["claim", "--file", users, "--owner-column", "id", "--repair", "--carry", "mail"]
        let dry = try await run(arguments + ["--dry-run"])
        let first = try await run(arguments)
        #expect(first.status == 1 && first.output == dry.output, "\(first.words)")
        let reported = rows(first.output)
        let repairs = reported.compactMap { $0.split(separator: " ").last.map(String.init) }
        #expect(reported.count == 9)
        #expect(reported[0] == "2 claimed invalid_character jurgen_m" && reported[1] == "3 claimed  ")
        #expect(reported[2].hasPrefix("4 claimed  ") && repairs[2].lowercased() != "anna_b")
        // The same owner has the name, so the row needs no repair.
        #expect(reported[3] == "5 duplicate  ")
        #expect(reported[4].hasPrefix("6 claimed reserved_word ") && reported[5] == "7 invalid invalid_character ")
        #expect(reported[6].hasPrefix("8 claimed invalid_character ") && repairs[6] != repairs[0])
        // Nothing is repaired of a blank name, and of a further name of an owner with one.
        #expect(reported[7] == "9 invalid too_short " && reported[8] == "10 unavailable owner_full ")
        #expect(first.words.contains("9 rows: 5 claimed, 0 already claimed, 4 refused"))
        #expect(first.words.contains("Repairs in place of names: 4, see claimed_as."))
        #expect(first.output.hasPrefix("\(ValidateTests.columns),owner,details,claimed_as,mail\n"))
        let listed = try await run("list", "--csv").output
        for again in [arguments, arguments + ["--dry-run"]] {
            #expect(rows(try await run(again).output) == reported.map { $0.replacing(" claimed ", with: " already ") })
        }
        #expect(try await run("list", "--csv").output == listed)
        #expect(try await run("verify").status == 0)
    }

    /// A pipe is read twice as well. A repeated run ends like one that was not interrupted.
    @Test func runThatLostItsDatabaseIsCompletedByAnother() async throws {
        let (run, whole) = (try await Commands(in: folder.path), try await Commands(in: folder.path))
        // Long enough for several chunks.
        let note = String(repeating: "x", count: 120)
        let rows = (0..<1500).map { "u\($0),\($0 % 5 == 0 ? "jane.roe" : distinctName($0)),\(note)\n" }
        let text = "id,username,note\n" + rows.joined()
        let names = try folder.file("users.csv", text)
        let arguments = ["claim", "--file", "-", "--owner-column", "id", "--repair", "--quiet"]
        let lost = try await Program.run(
            ["claim", "--file", names, "--owner-column", "id", "--repair"], in: folder, on: run.database,
            untilWritten: 5000)
        #expect(lost.status == 69 && lost.output.contains(",claimed,"), "\(lost.words)")
        #expect(lost.output.split(separator: "\n").count < 1501)
        let completed = try await run(arguments, input: text)
        let once = try await whole(arguments, input: text)
        #expect(completed.status == 0 && once.status == 0, "\(completed.words)")
        #expect(completed.output.replacing(",already,", with: ",claimed,") == once.output)
        func owners(_ listed: String) -> [String] {
            listed.split(separator: "\n").map { $0.split(separator: ",").prefix(4).joined(separator: ",") }
        }
        let listed = (try await run("list", "--csv").output, try await whole("list", "--csv").output)
        #expect(owners(listed.0) == owners(listed.1) && owners(listed.0).count == 1501)
    }

    /// Accounts come and go before a file is claimed again, so rows have other numbers then.
    @Test func ownersKeepTheirRepairsInAnotherFile() async throws {
        let run = try await Commands(in: folder.path)
        let rows = (0..<60).map { "u\($0),\($0 % 2 == 0 ? "admin" : "jane.roe")\n" }
        let several = ["HANDLES_PER_OWNER": "5"]
        func claim(_ rows: some Sequence<String>) async throws -> [String: String] {
            let done = try await run(
                ["claim", "--file", "-", "--format", "csv", "--owner-column", "id", "--repair"], with: several,
                input: "id,username\n" + rows.joined())
            #expect(done.status == 0, "\(done.words)")
            return Dictionary(
                uniqueKeysWithValues: done.output.split(separator: "\n").dropFirst().map { line in
                    let fields = line.replacing(#/"[^"]*"/#, with: "").split(
                        separator: ",", omittingEmptySubsequences: false)
                    return (String(fields[9]), String(fields[11]))
                })
        }
        let first = try await claim(rows)
        let again = try await claim(rows.dropFirst(7).shuffled())
        #expect(again.count == 53 && again.allSatisfy { first[$0.key] == $0.value && !$0.value.isEmpty })
        #expect(try await run("list").output.split(separator: "\n").count == 61)
    }

    /// A row that is there twice is one wish.
    @Test(arguments: ["jane.roe", "admin"]) func repeatedRowGetsNoSecondRepair(_ name: String) async throws {
        let run = try await Commands(in: folder.path)
        let file = try folder.file("twice.csv", "id,username\nu1,\(name)\nu1,\(name)\nu2,\(name)\n")
        for _ in 0..<2 {
            _ = try await run(
                ["claim", "--file", file, "--owner-column", "id", "--repair"], with: ["HANDLES_PER_OWNER": "5"])
            let listed = try await run("list", "--csv").output.split(separator: "\n").dropFirst()
            #expect(listed.map { $0.split(separator: ",")[3] }.sorted() == ["u1", "u2"], "\(listed)")
        }
    }

    @Test func repairIsForAFile() async throws {
        let result = try await Program.run(["claim", "johndoe", "--for", "u1", "--repair"], in: folder.path)
        #expect(result.status == 64 && result.words.contains("--repair"))
    }
}
