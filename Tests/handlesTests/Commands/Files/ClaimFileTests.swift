import Foundation
import HandleRegistry
import HandleRules
import NameFiles
import TestService
import TestSupport
import Testing

@testable import handles

@Suite struct ClaimFileTests {
    private let folder = TestFolder("claim-file")

    private static let users = """
        id,username,note
        u1,JaneRoe,x
        u2,janeroe,x
        u3,adm1n,x
        u4,"J!m",x
        u5
        u1,other_jane,x
        ,no_owner,x
        u9,WillSmithie,"two
        lines"
        u9,last_will,x

        """

    private static let full = "An owner has one handle; release or rename it first."

    private static func report(_ claimed: String) -> String {
        """
        line,record,input,handle,display,result,reasons,duplicate,first_line,owner,details
        2,1,JaneRoe,janeroe,JaneRoe,\(claimed),,,,u1,
        3,2,janeroe,janeroe,janeroe,duplicate,,capitals,2,u2,The same name as in line 2.
        4,3,adm1n,adm1n,adm1n,unavailable,reserved_word:roles:admin,,,u3,'admin' is a reserved word (roles).
        5,4,J!m,,,invalid,invalid_character:U+0021:1,,,u4,"'!' (EXCLAMATION MARK) can't be in a handle; use a–z, 0–9 and _."
        6,5,,,,unreadable,ragged_row:1:3,,,u5,The record has 1 field where 3 belong.
        7,6,other_jane,other_jane,other_jane,unavailable,owner_full:1,,,u1,\(full)
        8,7,no_owner,no_owner,no_owner,unreadable,bad_owner,,,,The owner is not \(Owner.rule).
        9,8,WillSmithie,willsmithie,WillSmithie,\(claimed),,,,u9,
        11,9,last_will,last_will,last_will,unavailable,owner_full:1,,,u9,\(full)

        """
    }

    @Test func claimFileReportsEveryRowAndCanBeRepeated() async throws {
        let run = try await Commands(in: folder.path, on: TestCluster.shared.emptyDatabase())
        let users = try folder.file("users.csv", Self.users)
        let arguments = ["claim", "--file", users, "--handle-column", "username", "--owner-column", "id"]
        let dry = try await run(arguments + ["--dry-run"])
        #expect(dry.status == 1)
        #expect(dry.output == Self.report("claimed"))
        #expect(dry.words.contains("\n9 rows: 2 would be claimed, 0 already claimed, 7 refused ("))
        // The dry run changed nothing, so the real run reports the same.
        let first = try await run(arguments)
        #expect(first.status == 1)
        #expect(first.output == Self.report("claimed"))
        #expect(first.words.contains("\n9 rows: 2 claimed, 0 already claimed, 7 refused ("))
        for again in [try await run(arguments), try await run(arguments + ["--dry-run"])] {
            #expect(again.output == Self.report("already"))
            #expect(again.words.contains(", 2 already claimed, 7 refused"))
        }
        let shown = try await run("show", "janeroe")
        #expect(shown.output.contains("owner     u1\n"))
        let verified = try await run("verify")
        #expect(verified.status == 0)
    }

    @Test func claimFileExitsWithZeroWhenEveryRowIsClaimed() async throws {
        let claim = try await Commands("claim", in: folder.path, on: TestCluster.shared.emptyDatabase())
        let input = #"{"who":"o1","name":"JaneRoe"}"# + "\n" + #"{"who":"o2","name":"jim_roe"}"# + "\n"
        for result in ["claimed", "already"] {
            let done = try await claim(
                "--file", "-", "--format", "ndjson", "--owner-column", "who", "--column", "name", "--json", input: input
            )
            #expect(done.status == 0)
            let lines = done.output.split(separator: "\n")
            #expect(lines.count == 2)
            let end = #""display":"JaneRoe","result":"\#(result)","reasons":[],"owner":"o1"}"#
            #expect(lines.first?.hasSuffix(end) == true)
        }
    }

    /// A repeated claim writes the row again, although nothing changes: the report of a name then waits for a commit,
    /// as every write does.
    @Test func rowsClaimedBeforeAreWrittenAgainByASecondRun() async throws {
        let sum = "SELECT sum(xmin::text::bigint)::bigint FROM names WHERE state = 'c'"
        let claim = try await Commands("claim", in: folder.path, on: TestCluster.shared.emptyDatabase())
        let names = try folder.file("confirmed.csv", "o1,JaneRoe\no2,jim_roe\n")
        let arguments = ["--file", names, "--column", "2", "--owner-column", "1"]
        var writes: [Int64] = []
        for _ in 0..<2 {
            let done = try await claim(arguments)
            #expect(done.status == 0)
            writes.append(try await number(sum, on: claim.database))
        }
        #expect(writes[0] < writes[1])
    }

    /// The order of an owner's rows decides which names the owner gets, however many rows are processed concurrently.
    @Test func ownerGetsTheFirstNamesOfTheFileUpToTheLimit() async throws {
        let claim = try await Commands("claim", in: folder.path, on: TestCluster.shared.emptyDatabase())
        let rows = (0..<1500).map { "o\($0 % 100),qz\($0)k" }
        let names = try folder.file("many.csv", rows.joined(separator: "\n") + "\n")
        for more in [["--dry-run"], []] {
            let done = try await claim(
                ["--file", names, "--column", "2", "--owner-column", "1", "--json"] + more,
                with: ["HANDLES_PER_OWNER": "3"])
            let results = done.output.split(separator: "\n").map { $0.contains(#""result":"claimed""#) }
            #expect(results == (0..<1500).map { $0 < 300 }, "\(more)")
        }
    }

    @Test func reservedNameIsClaimedOnlyForTheOwnerOfItsReservation() async throws {
        let run = try await Commands(in: folder.path, on: TestCluster.shared.emptyDatabase())
        let reserved = try await run("reserve", "acme_co", "--reason", "theirs", "--for", "o1")
        #expect(reserved.status == 0)
        let names = try folder.file("reserved.csv", "o2,acme_co\n")
        let other = try await run("claim", "--file", names, "--column", "2", "--owner-column", "1")
        #expect(other.output.contains(",unavailable,taken:reserved,,,o2,This name is reserved."))
        let theirs = try folder.file("theirs.csv", "o1,acme_co\n")
        let owner = try await run("claim", "--file", theirs, "--column", "2", "--owner-column", "1")
        #expect(owner.status == 0)
    }

    @Test(arguments: [
        (["--file", "x.csv"], "--owner-column"), (["--file", "x.csv", "name"], "--for, or a --file"),
        (["--file", "x.csv", "--owner-column", "1", "--for", "o"], "--for, or a --file"), ([], "--for, or a --file"),
        (["johndoe", "--for", "42 "], "--for is"), (["johndoe"], "--for, or a --file"),
        (["johndoe", "--for", "o", "--dry-run"], "for a --file"),
        (["--file", "x.csv", "--owner-column", "1", "--allow-lookalike", "--reason", "x"], "single name"),
    ])
    func wrongCombinationsOfClaimOptionsAreRefused(_ arguments: [String], _ words: String) async throws {
        let result = try await Program.run(["claim"] + arguments, in: folder.path)
        #expect(result.status == 64)
        #expect(result.words.contains(words))
    }

    @Test func missingFileColumnOrDatabaseHasItsOwnExitStatus() async throws {
        let claim = try await Commands("claim", in: folder.path, on: TestCluster.shared.emptyDatabase())
        let missing = try await claim("--file", "/nonexistent", "--owner-column", "1")
        #expect(missing.status == 66)
        let names = try folder.file("columns.csv", "id,username\n1,janeroe\n")
        let column = try await claim("--file", names, "--owner-column", "nobody")
        #expect(column.status == 65)
        #expect(column.words.contains("has no column nobody, only id, username"))
        let away = try await Commands("claim", in: folder.path, on: "host=/nonexistent")
        #expect(try await away("--file", names, "--owner-column", "id").status == 69)
    }

    @Test func fileThatIsCutWithinARecordExitsWith65() async throws {
        let claim = try await Commands("claim", in: folder.path)
        let names = try folder.file("cut.csv", "id,username\nu1,janeroe\nu2,\"jim")
        let cut = try await claim("--file", names, "--column", "username", "--owner-column", "id")
        #expect(cut.status == 65)
        #expect(cut.output.contains("2,1,janeroe,janeroe,janeroe,claimed,,,,u1,\n"))
        #expect(cut.words.contains("handles: \(names) ends in the middle"))
    }

    /// `42` and ` 42` would be two owners, each with a limit of its own.
    @Test(arguments: [
        ("users.csv", "username, id\nspaceann, 42\nbjorn_k,\u{A0}43\u{200B}\ncarla_m,\"44\" \nother_ann,42\n"),
        ("users.tsv", "username\tid\nspaceann\t 42\nbjorn_k\t43 \ncarla_m\t\u{FEFF}44\nother_ann\t42\n"),
        (
            "users.ndjson",
            #"{"username":"spaceann","id":"42 "}"# + "\n" + #"{"username":"bjorn_k","id":"\u00a043"}"# + "\n"
                + #"{"username":"carla_m","id":44}"# + "\n" + #"{"username":"other_ann","id":42}"# + "\n"
        ),
    ])
    func ownersAreTrimmed(_ name: String, _ text: String) async throws {
        let run = try await Commands(in: folder.path)
        let done = try await run(
            "claim", "--file", folder.file(name, text), "--column", "username", "--owner-column", "id")
        #expect(done.status == 1 && done.words.contains("\n4 rows: 3 claimed, 0 already claimed, 1 refused"), "\(done)")
        #expect(done.output.contains(",spaceann,claimed,,,,42,\n") && done.output.contains(",owner_full:1,,,42,"))
        for owner in ["42", "43", "44"] {
            let listed = try await run("list", "--owner", owner, "--csv")
            #expect(listed.output.split(separator: "\n").count == 2, "\(owner)")
        }
    }

    @Test func lookalikeOfAnEarlierRowIsADuplicateUnderTheStrictPolicy() async throws {
        let claim = try await Commands("claim", in: folder.path)
        let names = try folder.file("alike.csv", "u1,acme_co\nu2,4cme_co\n")
        let done = try await claim(
            "--file", names, "--column", "2", "--owner-column", "1", with: ["HANDLES_LOOKALIKES": "strict"])
        #expect(done.output.contains("4cme_co,duplicate,,lookalike,1,u2,This looks like the name in line 1.\n"))
    }

    /// The claims made before the loss are reported, and the message says how to continue.
    @Test func claimFileReportsTheClaimsMadeBeforeTheDatabaseWasLost() async throws {
        let run = try await Commands(in: folder.path)
        let rows = (0..<30_000).map { "u\($0),\(distinctName($0))\n" }
        let names = try folder.file("lost.csv", rows.joined())
        let arguments = ["claim", "--file", names, "--column", "2", "--owner-column", "1", "--no-header"]
        let lost = try await Program.run(arguments, in: folder, on: run.database, untilWritten: 60_000)
        #expect(lost.status == 69)
        let reported = lost.output.split(separator: "\n").dropFirst()
        #expect(reported.count < rows.count && reported.allSatisfy { $0.contains(",claimed,,,,u") })
        #expect(lost.words.contains(" \(reported.count.grouped) claimed, 0 already claimed, 0 refused ("))
        #expect(
            lost.words.contains(
                "The run has failed: these are the results so far.\nTo undo it: handles release --undo lost.undo.csv\n"
                    + "Run it again to continue; claimed names stay claimed.\nhandles: the database can't be used"),
            "\(lost.words)")
        let again = try await run(arguments + ["--quiet"])
        #expect(again.status == 0 && again.output.split(separator: "\n").count == rows.count + 1)
    }
}
