import Foundation
import HandleRegistry
import HandleRules
import TestService
import TestSupport
import Testing

@Suite struct ListTests {
    private let folder = TemporaryFolder.make("list")

    /// A registry with a name of each kind.
    private func sample() async throws -> Commands {
        let list = try await Commands("list", in: folder)
        let registry = try list.registry()
        let owner = try #require(Owner("user-1"))
        _ = try await registry.reserve("Acme", Reservation(reason: "a \"trade\" mark, 日本語の商標と長い理由の説明"))
        _ = try await registry.reserve("acme_labs", Reservation(reason: "=1+1", owner: Owner("org-\u{202E}9")))
        _ = try await registry.claim("JohnDoe", for: owner)
        _ = try await registry.claim("zebra", for: owner)
        _ = try await registry.hold("held_one", for: owner)
        _ = try await registry.claim("given_up", for: owner)
        try await registry.release(handle("given_up"))
        try await execute(
            "UPDATE names SET changed_at = '2026-02-03T04:05:06Z' WHERE state IN ('r', 'c')", on: list.database)
        // No version of the program writes such an owner.
        try await execute("UPDATE names SET owner = E'user\\x1b[31m-2' WHERE handle = 'zebra'", on: list.database)
        return list
    }

    private static func handles(_ result: Program.Result) -> [String] {
        result.output.split(separator: "\n").compactMap { line in
            let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return object?["handle"] as? String
        }
    }

    @Test func listPrintsATableWithoutATerminalToo() async throws {
        let list = try await sample()
        let all = try await list("--state", "claimed", "--state", "reserved")
        #expect(all.status == 0 && all.words.isEmpty)
        #expect(
            all.output == """
                handle     state     owner             since       until  reason
                Acme       reserved                    2026-02-03         a "trade" mark, 日本語の商標と長い理由の説明
                acme_labs  reserved  org-\\u{202e}9     2026-02-03         =1+1
                JohnDoe    claimed   user-1            2026-02-03
                zebra      claimed   user\\u{1b}[31m-2  2026-02-03

                """)
        let none = try await list("--prefix", "q")
        #expect(none.status == 0 && none.output.isEmpty && none.words == "no names match\n")
    }

    @Test func listFiltersByStatePrefixOwnerReasonAndDay() async throws {
        let list = try await sample()
        for (arguments, found) in [
            ([], ["acme", "acme_labs", "given_up", "held_one", "johndoe", "zebra"]),
            (["--state", "held", "--state", "quarantined"], ["given_up", "held_one"]),
            (["--prefix", "ACME_"], ["acme_labs"]), (["--owner", "user-1"], ["held_one", "johndoe"]),
            (["--reason", "TRADE"], ["acme"]),
            (["--before", "2026-02-04"], ["acme", "acme_labs", "johndoe", "zebra"]),
            (["--before", "2026-02-03"], []), (["--since", "2026-02-04"], ["given_up", "held_one"]),
            (["--since", "2026-02-03", "--before", "2026-02-04", "--state", "claimed"], ["johndoe", "zebra"]),
            (["--ends-since", "2026-01-01"], ["given_up", "held_one"]), (["--ends-before", "2026-01-01"], []),
            (["--after", "@JohnDoe"], ["zebra"]),
            (["--limit", "6"], ["acme", "acme_labs", "given_up", "held_one", "johndoe", "zebra"]),
            (["--owner", "nobody"], []), (["--category", "nonsense"], []),
        ] {
            let result = try await list(["--json"] + arguments)
            #expect(result.status == 0)
            #expect(Self.handles(result) == found, "\(arguments)")
            #expect(result.words == (found.isEmpty ? "no names match\n" : ""), "\(arguments)")
        }
        let page = try await list("--json", "--limit", "2")
        #expect(Self.handles(page) == ["acme", "acme_labs"])
        #expect(page.words == "there are more: go on with --after acme_labs\n")
    }

    @Test func reservationIsListedByItsLastDay() async throws {
        let run = try await Commands(in: folder)
        _ = try await run("reserve", "acme", "--reason", "season", "--until", "2997-12-31")
        for (since, before, found) in [
            ("2997-12-01", "2998-01-01", ["acme"]), ("2997-12-31", "2998-01-01", ["acme"]),
            ("2997-12-01", "2997-12-31", []), ("2998-01-01", "2998-02-01", []),
        ] {
            let list = try await run("list", "--json", "--ends-since", since, "--ends-before", before)
            #expect(Self.handles(list) == found, "\(since)")
        }
    }

    @Test func listByCategoryShowsNamesHitByANewReservedWord() async throws {
        let list = try await sample()
        let added = try await Commands("words", in: folder, on: list.database)(
            "add", "ze_bra", "--category", "animals", "--yes")
        #expect(added.status == 0)
        #expect(Self.handles(try await list("--json", "--category", "animals")) == ["zebra"])
    }

    @Test func csvListEscapesFormulasAndControlCharacters() async throws {
        let list = try await sample()
        let csv = try await list("--csv", "--state", "reserved")
        #expect(
            csv.output == """
                handle,display,state,owner,since,until,reason,version
                acme,Acme,reserved,,2026-02-03T04:05:06.000Z,,"a ""trade"" mark, 日本語の商標と長い理由の説明",1
                acme_labs,acme_labs,reserved,org-\\u{202e}9,2026-02-03T04:05:06.000Z,,'=1+1,1

                """)
        let none = try await list("--csv", "--owner", "nobody")
        #expect(none.output == "handle,display,state,owner,since,until,reason,version\n")
    }

    /// A spreadsheet that separates by semicolons would see a cell that begins with the formula.
    @Test func csvListHasNoFormulaAfterASemicolon() async throws {
        let list = try await Commands("list", in: folder)
        _ = try await list.registry().reserve("acme", Reservation(reason: "x;=1+1;-2", owner: Owner("o;\"@SUM(1)")))
        let csv = try await list("--csv").output
        #expect(csv.contains(#","o;'""@SUM(1)","#) && csv.contains(",x;'=1+1;'-2,"), "\(csv)")
    }

    @Test func jsonListEscapesControlAndFormatCharacters() async throws {
        let run = try await Commands(in: folder)
        _ = try await run.registry().reserve(
            "acme", Reservation(reason: "a\u{202E}b\u{9B}c", owner: Owner("o\u{2066}9")))
        for arguments in [["list", "--json"], ["show", "--json", "acme"], ["export"]] {
            let json = try await run(arguments).output
            #expect(json.contains(#""owner":"o\u20669""#) && json.contains(#""reason":"a\u202eb\u009bc""#), "\(json)")
        }
    }

    @Test func tableFitsTheWidthOfTheTerminal() async throws {
        let list = try await sample()
        func lines(_ columns: Int, _ variables: [String: String]) async throws -> [String] {
            let shown = try await Terminal.run(
                ["list"], in: folder, variables.merging(["DATABASE_URL": list.database]) { $1 }, columns: columns)
            #expect(shown.status == 0)
            return shown.output.split(separator: "\n").map(String.init)
        }
        for (columns, variables, width) in [
            (72, ["NO_COLOR": "1"], 72), (40, ["NO_COLOR": "1"], 40), (0, ["NO_COLOR": "1"], 80),
            (0, ["NO_COLOR": "1", "COLUMNS": "66"], 66), (90, ["TERM": "dumb"], 90),
        ] {
            let lines = try await lines(columns, variables)
            #expect(lines.count == 7)
            for line in lines {
                // In this sample only the Japanese characters take two columns.
                let places = line.unicodeScalars.reduce(0) { $0 + ((0x3000...0x9FFF).contains($1.value) ? 2 : 1) }
                #expect(places <= width, "\(line)")
                #expect(!line.contains("\u{1B}"))
            }
            let acme = try #require(lines.dropFirst().first)
            #expect(acme.contains("…") && acme.hasPrefix("Acme"))
        }
        let wide = try await lines(200, ["NO_COLOR": ""])
        #expect(wide.contains { $0.contains("\u{1B}[32mclaimed\u{1B}[0m") })
        #expect(wide.contains { $0.contains("\u{1B}[34mreserved\u{1B}[0m") })
        #expect(!wide.contains { $0.contains("…") || $0.contains("\u{1B}[31m") })
    }

    private static func name(_ number: Int) -> String { "n" + "\(1_000_000 + number)".dropFirst() }

    @Test func listReadsMoreThanOnePage() async throws {
        let list = try await Commands("list", in: folder)
        try await insertNames((1...12000).map(Self.name), on: list.database)
        let all = try await list("--csv")
        #expect(all.output.split(separator: "\n").count == 12001)
        let limited = try await list("--csv", "--limit", "7000", "--after", "n001000")
        #expect(limited.output.split(separator: "\n").count == 7001)
        #expect(limited.words == "there are more: go on with --after n008000\n")
        let exact = try await list("--json", "--limit", "2000", "--after", "n010000")
        #expect(Self.handles(exact).count == 2000 && exact.words.isEmpty)
    }

    @Test(arguments: [
        (["--state", "free"], "--state"), (["--limit", "0"], "from 1 on"), (["--limit", "x"], "--limit"),
        (["--after", "a b"], "--after is a name"), (["--prefix", "a-b"], "--prefix is the beginning"),
        (["--prefix", ""], "--prefix is the beginning"), (["--prefix", "abcdefghijklmnop"], "1 to 15"),
        (["--since", "yesterday"], "--since is a day such as"),
        (["--before", "2026-02-30"], "--before is a day such as"),
        (["--ends-since", "soon"], "--ends-since is a day such as"),
        (["--ends-before", "2026-02-30"], "--ends-before is a day such as"),
        (["--json", "--csv"], "--json or --csv"), (["--owner", ""], "--owner is 1 to"),
        (["--reason", ""], "some text"),
        (["name"], "name"),
    ])
    func listRefusesWrongOptions(_ arguments: [String], _ words: String) async throws {
        let result = try await Program.run(["list"] + arguments, in: folder)
        #expect(result.status == 64)
        #expect(result.words.contains(words), "\(result.words)")
    }

    @Test func interruptedListEndsAtTheEndOfALine() async throws {
        let list = try await Commands("list", in: folder)
        try await insertNames((1...100_000).map(Self.name), on: list.database)
        let process = Program.process(["list", "--json"], in: folder, ["DATABASE_URL": list.database])
        let (output, words) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = words
        try process.run()
        // The output is larger than the pipe, so the program blocks until the rest is read.
        let (lines, said) = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var read = output.fileHandleForReading.availableData
                kill(process.processIdentifier, SIGINT)
                read += output.fileHandleForReading.readDataToEndOfFile()
                let said = words.fileHandleForReading.readDataToEndOfFile()
                continuation.resume(
                    returning: (String(decoding: read, as: UTF8.self), String(decoding: said, as: UTF8.self)))
            }
        }
        #expect(await process.ended() == 130)
        #expect(said == "handles: interrupted\n")
        #expect(lines.hasSuffix("}\n"))
    }
}
