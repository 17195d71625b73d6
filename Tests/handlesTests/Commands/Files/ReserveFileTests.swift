import Foundation
import HandleRegistry
import HandleRules
import HandleWords
import NameFiles
import Postgres
import TestService
import TestSupport
import Testing

@testable import handles

@Suite struct ReserveFileTests {
    private let folder = TestFolder("reserve-file")

    private static let brands = """
        handle,display,reason,owner,until
        acme,ACME,trademark,org-1,2999-12-31
        acme_labs,,,,
        Acme,,again,,
        acrne,,,,
        x,,,,
        "bra""nd",,,,
        taken_one,,,,
        brandy,Brandi,,,
        brandz,,,"org
        2",
        late_one,,,,2001-01-01
        some_day,,,,soon
        short
        admin,,our own,,

        """

    private static func report(_ result: String) -> String {
        """
        line,record,input,handle,display,result,reasons,duplicate,first_line,details
        2,1,acme,acme,ACME,\(result),,,,
        3,2,acme_labs,acme_labs,acme_labs,\(result),,,,
        4,3,Acme,acme,Acme,duplicate,,capitals,2,The same name as in line 2.
        5,4,acrne,acrne,acrne,unavailable,lookalike:acme,lookalike,2,This looks too much like acme.
        6,5,x,,,invalid,too_short:1,,,A handle has at least 3 characters; this has 1.
        7,6,"bra""nd",,,invalid,invalid_character:U+0022:3,,,"'""' (QUOTATION MARK) can't be in a handle; use a–z, 0–9 and _."
        8,7,taken_one,taken_one,taken_one,unavailable,taken:claimed,,,This name is claimed.
        9,8,brandy,brandy,brandy,unreadable,bad_display,,,\(RecordFault.badDisplay.message)
        10,9,brandz,brandz,brandz,unreadable,bad_owner,,,The owner is not \(Owner.rule).
        12,10,late_one,late_one,late_one,unreadable,bad_until,,,The last day is over already.
        13,11,some_day,some_day,some_day,unreadable,bad_until,,,The last day is not a day such as 2027-12-31.
        14,12,short,,,unreadable,ragged_row:1:5,,,The record has 1 field where 5 belong.
        15,13,admin,admin,admin,\(result),,,,

        """
    }

    @Test func reserveFileReportsEveryRowAndCanBeRepeatedAndUndone() async throws {
        let run = try await Commands(in: folder.path, on: TestCluster.shared.emptyDatabase())
        _ = try await run("claim", "taken_one", "--for", "user-1")
        let before = try await run("export").output
        let brands = try folder.file("brands.csv", Self.brands)

        let dry = try await run("reserve", "--file", brands, "--reason", "ours", "--dry-run")
        #expect(dry.status == 1)
        #expect(dry.output == Self.report("reserved"))
        #expect(dry.words.contains("\n13 rows: 3 would be reserved, 0 already reserved, 10 refused ("))
        #expect(try await run("export").output == before)
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/brands.undo.csv"))

        let first = try await run("reserve", "--file", brands, "--reason", "ours")
        #expect(first.status == 1)
        #expect(first.output == Self.report("reserved"))
        #expect(
            first.words.contains("\n13 rows: 3 reserved, 0 already reserved, 10 refused (")
                && first.words.hasSuffix("To undo it: handles release --undo brands.undo.csv\n")
        )
        let shown = try await run("show", "acme").output
        for line in ["display   ACME\n", "owner     org-1\n", "reason    trademark\n", "until     2999-12-31\n"] {
            #expect(shown.contains(line), "\(line)")
        }
        #expect(try await run("show", "acme_labs").output.contains("reason    ours\n"))
        #expect(try await run("show", "admin").output.contains("reason    our own\n"))

        let after = try await run("export").output
        let undoFile = try String(contentsOfFile: "\(folder.path)/brands.undo.csv", encoding: .utf8)
        for more in ["--quiet", "--dry-run"] {
            let again = try await run("reserve", "--file", brands, "--reason", "other", more)
            #expect(again.output == Self.report("already"))
        }
        #expect(try await run("export").output == after)
        #expect(try String(contentsOfFile: "\(folder.path)/brands.undo.csv", encoding: .utf8) == undoFile)

        let plan = try await run("release", "--undo", "brands.undo.csv", "--dry-run")
        #expect(plan.status == 0 && plan.words == "3 would be released, 0 changed since and left as they are\n")
        #expect(try await run("export").output == after)
        let undone = try await run("release", "--undo", "brands.undo.csv", "--reason", "wrong list")
        #expect(undone.status == 0 && undone.output == plan.output)
        #expect(undone.words == "3 released, 0 changed since and left as they are\n")
        #expect(
            Set(undone.output.split(separator: "\n").map { $0.prefix { $0 != " " } }) == ["acme", "acme_labs", "admin"])
        #expect(try await run("export").output == before)
        #expect(try await run("show", "acme").output.contains("wrong list"))
        #expect(try await run("release", "--undo", "brands.undo.csv").words.hasPrefix("0 released, 0 changed"))
        #expect(try await run("verify").status == 0)
    }

    /// An owner or a reason that is not UTF-8 could only be stored as a different text.
    @Test func rowsThatAreNotUTF8AreRefused() async throws {
        let run = try await Commands(in: folder.path)
        let rows = "handle,owner,reason\nacme,M\u{FC}ller,ours\nacme_labs,u1,f\u{FC}r uns\nacme_toys,u1,ours\n"
        let names = try folder.file("latin.csv", Data(rows.unicodeScalars.map { UInt8($0.value) }))
        let result = try await run("reserve", "--file", names)
        #expect(result.status == 1, "\(result.words)")
        #expect(result.output.components(separatedBy: ",unreadable,not_utf8,").count == 3)
        let kept = try await run("list")
        #expect(kept.output.contains("acme_toys") && !kept.output.contains("acme_labs"))
    }

    @Test func reserveFileExitsWithZeroWhenNothingIsRefused() async throws {
        let run = try await Commands(in: folder.path, on: TestCluster.shared.emptyDatabase())
        let names = (0..<3000).map { #"{"handle":"ND\#(distinctName($0))","owner":"o\#($0)","reason":null}"# }
        let (first, other) = (distinctName(0, prefix: "nd"), distinctName(17, prefix: "nd"))
        for result in ["reserved", "already"] {
            let done = try await run(
                "reserve", "--file", "-", "--format", "ndjson", "--json", "--reason", "ours",
                input: names.joined(separator: "\n") + "\n")
            #expect(done.status == 0)
            let lines = done.output.split(separator: "\n")
            #expect(lines.count == 3000)
            let count = lines.count { $0.contains(#""result":"\#(result)""#) }
            #expect(count == 3000)
            #expect(
                lines.first?.contains(#""line":1,"record":1,"input":"ND\#(distinctName(0))","handle":"\#(first)""#)
                    == true)
        }
        #expect(try await run("claim", other, "--for", "o17").status == 0)
        // A name that was claimed since then is not released.
        let undone = try await run("release", "--undo", "stdin.undo.csv")
        #expect(undone.status == 1)
        #expect(undone.output.contains("\(other)       stays: it is claimed since\n"))
        #expect(undone.words == "2,999 released, 1 changed since and left as they are\n")
    }

    private static let reserved = "SELECT count(*) FROM names WHERE state = 'r'"

    /// After kills at any moment, one more run ends with the state that a single run would have left, and all
    /// reservations can be undone.
    @Test func reserveFileCanBeKilledRepeatedAndUndone() async throws {
        let clean = try await Commands(in: folder.path)
        let run = try await Commands(in: folder.path)
        for command in [clean, run] { _ = try await command("claim", distinctName(7), "--for", "user-1") }
        let before = try await run("export").output
        // Every tenth name looks like an earlier one elsewhere in the file, half of them of the same owner.
        let rows = (0..<3000).map { row in
            let name = row % 10 == 9 ? distinctName(max(0, row - 1005)) + "_" : distinctName(row)
            return "\(name),\(["", "org-1"][row % 7 % 2])\n"
        }
        let names = try folder.file("many.csv", "handle,owner\n" + rows.joined())
        _ = try await clean("reserve", "--file", names, "--reason", "ours", "--undo", "clean.csv", "--quiet")
        for round in 0..<6 {
            let process = Program.process(
                ["reserve", "--file", names, "--reason", "ours"], in: folder.path, ["DATABASE_URL": run.database])
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            try await eventually("\(round * 400) names are reserved") {
                try await number(Self.reserved, on: run.database) >= round * 400 || process.endStatus != nil
            }
            kill(process.processIdentifier, SIGKILL)
            await process.ended()
        }
        let last = try await run("reserve", "--file", names, "--reason", "ours")
        #expect(last.status == 1)
        func states(_ text: String) -> [Substring] {
            text.split(separator: "\n").map { $0.replacing(#/"(since|sha256)":"[^"]*"/#, with: "") }
        }
        let (ours, theirs) = (states(try await run("export").output), states(try await clean("export").output))
        #expect(ours == theirs)
        #expect(try await run("verify").status == 0)
        #expect(try await run("release", "--undo", "many.undo.csv", "--quiet").status == 0)
        #expect(try await run("export").output == before)
    }

    /// The reservations made before the loss are reported, and the message says how to continue.
    @Test func reserveFileReportsItsReservationsWhenTheDatabaseIsLost() async throws {
        let run = try await Commands(in: folder.path)
        let database = run.database
        // 50 names are reserved in another transaction, which waits for this one.
        let all = (0..<20_050).map { distinctName($0) }
        let last = try #require(all.max())
        let other = try await Connection.open(database, until: .now + .seconds(60))
        try await other.run(
            script: """
                BEGIN;
                INSERT INTO names (key, place, handle, state, version, change, changed_at, exempt, last_hash)
                VALUES ('\(LookalikeKey(handle(last)))', 0, '\(last)', 'f', 1, 1, now(), false, '');
                """, until: .now + .seconds(60))
        let names = try folder.file("lost.txt", all.map { $0 + "\n" }.joined())
        let lost = try await Program.run(["reserve", "--file", names, "--reason", "ours"], in: folder, on: database) {
            // The program knows of the names: the reply to their commit has reached it.
            guard $0.copiesPassed > 0 else { return false }
            let isWaiting = try await waitingForLocks(on: database) > 0
            return try await number(Self.reserved, on: database) == 20_000 && isWaiting
        }
        let kept = Set(try await run("export").output.matches(of: #/"handle":"([^"]+)"/#).map { String($0.output.1) })
        await other.close()
        #expect(lost.status == 69)
        let reported = lost.output.split(separator: "\n").dropFirst().map {
            $0.split(separator: ",")[2...5].joined(separator: ",")
        }
        #expect(kept.count == 20_000)
        #expect(reported == all.filter { kept.contains($0) }.map { "\($0),\($0),\($0),reserved" })
        #expect(lost.words.contains("20,000 reserved so far, possibly more."))
        #expect(lost.words.contains("handles release --undo lost.undo.csv\nhandles: the database can't be used"))
        #expect(try await run("reserve", "--file", names, "--reason", "ours").status == 0)
        #expect(try await run("release", "--undo", "lost.undo.csv", "--quiet").words.hasPrefix("20,050 released"))
        #expect(try await run("export").output.split(separator: "\n").count == 2)
    }

    @Test func reportThatCannotBeWrittenIsAnErrorThatSaysHowToUndo() async throws {
        let run = try await Commands(in: folder.path)
        let names = try folder.file("full.txt", "acme\n")
        let full = try await Program.run(
            program: "/bin/sh", ["-c", "'\(Program.path)' reserve --file \(names) --reason ours --json > /dev/full"],
            in: folder.path, ["DATABASE_URL": run.database])
        #expect(full.status == 73)
        #expect(full.words.hasPrefix("To undo it: handles release --undo full.undo.csv\nhandles: can't write"))
        #expect(try await run("release", "--undo", "full.undo.csv").words.hasPrefix("1 released"))
    }

    @Test(arguments: [
        (["--file", "none.csv", "--reason", "x"], 66, "none.csv"),
        (["--file", "names.csv"], 64, "no column called reason"),
        (["--file", "empty.csv", "--reason", "x"], 0, "0 reserved"), (["abc"], 64, "--reason is missing"),
        (["--file", "names.csv", "--reason", "x", "--undo", "names.csv"], 64, "is not an undo file"),
        (["--file", "names.csv", "--reason", "x", "--undo", "/nonexistent/u.csv"], 73, "can't write the undo file"),
        (["a\nb", "--reason", "x"], 64, "line break"), (["--reason", "x"], 64, "--file"),
        (["abc", "--file", "names.csv", "--reason", "x"], 64, "--file"),
        (["abc", "--reason", "x", "--until", "2001-01-01"], 64, "over already"),
        (["abc", "--reason", "x", "--for", ""], 64, "--for is"),
        (["--file", "names.csv", "--column", "nobody", "--reason", "x"], 65, "no column nobody"),
        (
            ["--file", "twice.csv", "--reason", "x"], 65,
            "2 columns called owner, with the numbers 2, 3: rename all but"
        ),
        (["abc", "--reason", "x", "--for", " 42"], 64, "--for is"),
        (["abc", "--reason", "x", "--for", "42\u{200B}"], 64, "invisible characters at its ends"),
    ])
    func reserveWithWrongOptionsReservesNothing(_ arguments: [String], _ status: Int, _ words: String) async throws {
        let run = try await Commands(in: folder.path)
        try folder.file("names.csv", "handle,note\nabc_name,x\n")
        try folder.file("empty.csv", "")
        try folder.file("twice.csv", "handle,owner,Owner\nabc_name,u1,u2\n")
        let result = try await run(["reserve"] + arguments)
        #expect(result.status == status, "\(result.words)")
        #expect(result.words.contains(words), "\(result.words)")
        #expect(try await run("export").output.split(separator: "\n").count == 2)
        #expect(try String(contentsOfFile: "\(folder.path)/names.csv", encoding: .utf8) == "handle,note\nabc_name,x\n")
    }

    @Test(arguments: [
        ("", 65, "no column handle"), ("nonsense\n", 65, "no column handle"),
        ("handle,change\n\nabc,x\nabd_ok,12\n", 65, "line 3 of"), ("handle,change\nabd\nabc_ok,1\n", 65, "line 2 of"),
        ("handle,change\nabc_ok,1\nabd\n", 65, "line 3 of"), ("handle,change\nab!,12\nabc_ok,1", 65, "line 2 of"),
        ("handle,change\nabc_ok,1,x\nabd", 65, "line 2 of"), ("handle,change\nabc_ok,1\n\nabd", 0, "line 4 of"),
        ("handle,change\nabd", 0, "was cut before its name was changed"),
        ("handle,change\n", 0, "0 released"),
    ])
    func faultsOfAnUndoFileAreReported(_ text: String, _ status: Int, _ words: String) async throws {
        let run = try await Commands(in: folder.path)
        let result = try await run("release", "--undo", folder.file("undo.csv", text))
        #expect(result.status == status, "\(result.words)")
        #expect(result.words.contains(words), "\(result.words)")
        #expect(try await run("release", "--undo", "/nonexistent").status == 66)
        #expect(try await run("release", "abc", "--undo", "undo.csv").status == 64)
        #expect(try await run("release").status == 64)
    }

    /// The other names are released all the same, and the exit status says that some may be left.
    @Test func namesAroundADamagedLineOfAnUndoFileAreReleased() async throws {
        let run = try await Commands(in: folder.path)
        let names = try folder.file("damaged.txt", "acme\nbrandy\ncandy_co\n")
        _ = try await run("reserve", "--file", names, "--reason", "ours")
        let undo = "\(folder.path)/damaged.undo.csv"
        try folder.file("damaged.undo.csv", folder.contents("damaged.undo.csv").replacing("brandy,", with: "brandy;"))
        let damaged = try await run("release", "--undo", undo)
        #expect(damaged.status == 65)
        #expect(damaged.output == "acme             free\ncandy_co         free\n")
        #expect(damaged.words.contains("line 3 of \(undo) can't be read and was skipped\n2 released, 0 changed"))
        #expect(damaged.words.contains("handles list --state reserved"))
        try folder.file("damaged.undo.csv", folder.contents("damaged.undo.csv").replacing("brandy;", with: "brandy,"))
        let corrected = try await run("release", "--undo", undo)
        #expect(corrected.status == 0 && corrected.output == "brandy           free\n")
    }

    /// White space and invisible characters around a field are not part of it, in every format.
    @Test(arguments: [
        ("names.csv", "handle, owner ,reason,until\nacme, org-1\u{A0}, ours ,\t2999-12-31 \n"),
        ("names.csv", "handle,owner,reason,until\n\"acme\",\"org-1\" ,\u{FEFF}ours\u{200B},\u{3000}2999-12-31\n"),
        ("names.csv", "\u{FEFF}handle,\u{FEFF}owner\u{200B},reason,until\nacme,org-1,ours,2999-12-31\u{200B}\n"),
        ("names.tsv", "handle\towner\treason\tuntil\nacme\t org-1 \t\u{A0}ours\t 2999-12-31\n"),
        (
            "names.ndjson",
            #"{"handle":"acme","owner":"\u200borg-1 ","reason":"\tours","until":"2999-12-31\n","display":" ACME "}"#
        ),
    ])
    func fieldsAreTrimmed(_ name: String, _ text: String) async throws {
        let run = try await Commands(in: folder.path)
        let reserved = try await run("reserve", "--file", folder.file(name, text), "--reason", "other")
        #expect(reserved.status == 0, "\(reserved)")
        let shown = try await run("show", "acme").output
        #expect(
            shown.contains("owner     org-1\nreason    ours\n") && shown.contains("until     2999-12-31\n"), "\(shown)")
    }

    /// A list with another owner or day is no repetition.
    @Test func otherReservationIsSaidAndStays() async throws {
        let run = try await Commands(in: folder.path)
        func reserve(_ row: String) async throws -> Program.Result {
            let names = try folder.file("again.csv", "handle,owner,until\n\(row)\n")
            return try await run("reserve", "--file", names, "--reason", "ours")
        }
        #expect(try await reserve("acme,org-1,2999-12-31").status == 0)
        for same in ["acme,org-1,2999-12-31", "acme,,", "acme,org-1,"] {
            #expect(try await reserve(same).status == 0, "\(same)")
        }
        for other in ["acme,org-2,2999-12-31", "acme,,2999-12-30"] {
            let result = try await reserve(other)
            #expect(result.status == 1 && result.output.contains(",differs,"), "\(result)")
            #expect(result.output.contains("It is reserved for org-1, until 2999-12-31, and stays so."))
        }
    }

    @Test func columnsOfAFileCanBeChosen() async throws {
        let run = try await Commands(in: folder.path)
        let names = try folder.file("marken.csv", "Marke;Konto;Ende;Warum;Notiz\nacme;org-1;2999-12-31;Marke;x\n")
        let reserved = try await run(
            "reserve", "--file", names, "--column", "Marke", "--owner-column", "Konto", "--until-column", "3",
            "--reason-column", "warum")
        #expect(reserved.status == 0, "\(reserved)")
        #expect(
            reserved.words.hasPrefix(
                "\(names): CSV with ; between the fields, header in line 1\n  Marke → handle, Warum → reason, "
                    + "Konto → owner, Ende → until · not used: Notiz\n"), "\(reserved.words)")
        let shown = try await run("show", "acme").output
        #expect(shown.contains("owner     org-1\nreason    Marke\n") && shown.contains("until     2999-12-31\n"))
    }

    @Test func blankFieldsAreMissingFields() async throws {
        let run = try await Commands(in: folder.path)
        let names = try folder.file("blank.csv", "handle,display,owner,reason,until\nacme, ,\u{A0},\u{200B}, \n")
        let reserved = try await run("reserve", "--file", names, "--reason", "ours", "--for", "org-1")
        #expect(reserved.status == 0, "\(reserved)")
        let shown = try await run("show", "acme").output
        #expect(shown.contains("owner     org-1\nreason    ours\n") && !shown.contains("until"))
    }

    @Test func integerOfAnNDJSONFileIsAnOwner() async throws {
        let run = try await Commands(in: folder.path)
        let rows = [#"{"handle":"acme","owner":49}"#, #"{"handle":"brandy","owner":4.9}"#, #"{"handle":490}"#]
        let names = try folder.file("ids.ndjson", rows.joined(separator: "\n") + "\n")
        let reserved = try await run("reserve", "--file", names, "--reason", "ours")
        #expect(reserved.status == 1 && reserved.words.contains("\n3 rows: 1 reserved, 0 already reserved, 2 refused"))
        #expect(try await run("show", "acme").output.contains("owner     49\n"))
    }

    /// The list as CSV or as NDJSON can be reserved again, with the same ends.
    @Test(arguments: ["--csv", "--json"]) func listedReservationsCanBeReservedAgain(_ format: String) async throws {
        let (run, again) = (try await Commands(in: folder.path), try await Commands(in: folder.path))
        _ = try await run("reserve", "acme", "--reason", "ours", "--for", "org-1", "--until", "2999-12-31")
        _ = try await run("reserve", "brandy", "--reason", "ours", "--until", "9999-12-31")
        _ = try await run("reserve", "candy_co", "--reason", "ours")
        _ = try await run("reserve", "denim_co", "--reason", "ours", "--until", "2999-12-31T10:30:00Z")
        let listed = try await run("list", format)
        let table = try await run("list").output
        #expect(table.contains("  2999-12-31  ours") && table.contains("  9999-12-31  ours"))
        let file = try folder.file(format == "--csv" ? "list.csv" : "list.ndjson", listed.output)
        #expect(try await again("reserve", "--file", file).status == 0)
        func ends(_ text: String) -> [Substring] { text.matches(of: #/"until":"[^"]*"/#).map(\.output) }
        let (before, after) = (ends(try await run("export").output), ends(try await again("export").output))
        #expect(before.count == 3 && before == after)
        let csv = try await again("list", "--csv").output
        #expect(csv.contains(",2999-12-31,ours,") && csv.contains(",9999-12-31,ours,") && csv.contains(",,ours,"))
        #expect(csv.contains(",2999-12-31T10:30:00.000Z,ours,"))
        #expect(try await run("show", "acme").output.contains("until     2999-12-31\n"))
    }

    /// A run that was repeated may have noted a reservation twice.
    @Test func reservationThatIsNotedTwiceIsReleasedOnce() async throws {
        let run = try await Commands(in: folder.path)
        let names = try folder.file("twice.csv", "handle\nacme_labs\n")
        _ = try await run("reserve", "--file", names, "--reason", "ours", "--undo", "twice.undo.csv")
        let undo = "\(folder.path)/twice.undo.csv"
        let noted = try String(contentsOfFile: undo, encoding: .utf8)
        try (noted + noted.split(separator: "\n")[1] + "\n").write(toFile: undo, atomically: true, encoding: .utf8)
        let undone = try await run("release", "--undo", undo)
        #expect(undone.output == "acme_labs        free\n")
        #expect(undone.words == "1 released, 0 changed since and left as they are\n")
    }
}
