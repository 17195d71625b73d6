import Foundation
import HandleRegistry
import HandleRules
import TestService
import TestSupport
import Testing

/// The input, messages and reports of `handles validate`.
@Suite struct ValidateTests {
    private let folder = TestFolder("validate")

    private func validate(
        _ arguments: String..., input: String = "", with variables: [String: String] = [:]
    ) async throws -> Program.Result {
        try await Program.run(["validate"] + arguments, in: folder.path, variables, input: input)
    }

    static let columns = "line,record,input,handle,display,result,reasons,duplicate,first_line"
    static let header = columns + "\n"

    // MARK: Messages and rows

    @Test func validateNeedsNoDatabase() async throws {
        let names = try folder.file("names.txt", "JohnDoe\nx\n\nadm1n\r\n日本\njohndoe\nlast_one")
        let result = try await validate(names, with: ["DATABASE_URL": "host=/nonexistent"])
        #expect(result.status == 1)
        #expect(
            result.output == Self.header + """
                2,2,x,,,invalid,too_short:1,,
                4,4,adm1n,adm1n,adm1n,unavailable,reserved_word:roles:admin,,
                5,5,日本,,,invalid,too_short:2;invalid_character:U+65E5:0;invalid_character:U+672C:1,,
                6,6,johndoe,johndoe,johndoe,duplicate,,capitals,1

                """)
        let words = result.words.split(separator: "\n").map(String.init)
        #expect(words.first?.hasPrefix("6 rows: 2 valid, 4 refused (") == true)
        for line in [
            "  invalid      2", "    too_short          2", "    invalid_character  2", "  unavailable  1",
            "    reserved_word      1", "  duplicate    1", "Rows like an earlier one: 1 in other capitals.",
            "  johndoe          2 rows, the first in line 1",
            "1 blank line skipped.",
            "The last line has no line end: if \(names) was cut, its last name is too.",
        ] {
            #expect(words.contains(line), "\(line)")
        }
    }

    @Test func validateExitsWithZeroWhenNoRowIsRefused() async throws {
        let fine = try await validate("-", input: "johndoe\njanedoe\n")
        #expect(fine.status == 0)
        #expect(fine.output == Self.header)
        let empty = try await validate()
        #expect(empty.status == 0)
        #expect(empty.output == Self.header)
        #expect(empty.words == "0 rows: 0 valid, 0 refused (0 rows a second)\n")
    }

    /// The locale has no effect: Turkish has another capital I, and other locales have other alphabets.
    @Test(arguments: ["C", "POSIX", "tr_TR.UTF-8", "de_DE.ISO-8859-1", "ar_EG.UTF-8"])
    func outputIsTheSameInEveryLocale(_ locale: String) async throws {
        let input = "TITLE_IN\nistanbul\nİstanbul\nısparta\nADM1N\nｆｏｏＩ\n١٢٣\nstraße\n"
        let plain = try await validate("--json", input: input)
        let local = try await validate(
            "--json", input: input, with: ["LC_ALL": locale, "LANG": locale, "LANGUAGE": locale])
        #expect(local.output == plain.output)
        #expect(local.output.split(separator: "\n").count == 8)
    }

    @Test func rowThatIsNotUTF8IsReportedAndTheRunGoesOn() async throws {
        let latin = try folder.file(
            "latin.txt", Data("fine\nM\u{FC}ller\nalso_fine\nx\n".unicodeScalars.map { UInt8($0.value) }))
        let result = try await validate(latin)
        #expect(result.status == 1)
        #expect(
            result.output == Self.header + "2,2,M\\x{fc}ller,,,unreadable,not_utf8,,\n4,4,x,,,invalid,too_short:1,,\n")
    }

    @Test func quietRunPrintsOnlyErrors() async throws {
        let quiet = try await validate("--quiet", input: "x\n")
        #expect(quiet.status == 1 && quiet.words.isEmpty && quiet.output.hasSuffix("\n1,1,x,,,invalid,too_short:1,,\n"))
        let missing = try await validate("--quiet", "/nonexistent")
        #expect(missing.status == 66 && missing.words.hasPrefix("handles: can't read /nonexistent: "))
    }

    @Test func progressIsNotShownWithoutATerminal() async throws {
        let names = try folder.file("many.txt", (0..<200_000).map { "x\($0 % 7)" }.joined(separator: "\n"))
        let result = try await validate(names, "--output", "/dev/null")
        #expect(result.status == 1)
        #expect(!result.words.contains("\r") && !result.words.contains("\u{1B}"))
    }

    @Test func jsonOutputHasAnObjectForEveryRow() async throws {
        let result = try await validate("--json", input: "JohnDoe\nx\njohndoe\n")
        #expect(result.status == 1)
        let objects = try Self.objects(result.output)
        #expect(objects.map { $0["line"] as? Int } == [1, 2, 3])
        #expect(objects.map { $0["result"] as? String } == ["valid", "invalid", "duplicate"])
        #expect(objects[2]["duplicate"] as? String == "capitals" && objects[2]["first_line"] as? Int == 1)
    }

    @Test(arguments: [[], ["--output", "out/"]]) func failFastStopsAtTheFirstRefusedRow(_ output: [String]) async throws
    {
        let names = (0..<40_000).map { row in row == 31_000 || row == 31_001 ? "x\n" : "jane_\(row)\n" }.joined()
        let arguments = ["validate", "--fail-fast", "--jobs", "3"] + output
        let result = try await Program.run(arguments, in: folder.path, input: names)
        #expect(result.status == 1)
        let refused = output.isEmpty ? result.output : try folder.contents("out/stdin.refused.csv")
        #expect(refused == Self.header + "31001,31001,x,,,invalid,too_short:1,,\n")
        #expect(result.words.hasPrefix("31,001 rows: 31,000 valid, 1 refused ("))
        #expect(result.words.contains("Stopped at the first refused row (--fail-fast)."))
        guard !output.isEmpty else { return }
        #expect(try folder.contents("out/stdin.valid.csv").split(separator: "\n").count == 31_001)
    }

    @Test func outputIsEscapedUnlessRawIsGiven() async throws {
        let input = "=1+1\n\u{1B}[31m,x\n"
        let safe = try await validate("--format", "lines", input: input)
        #expect(safe.output.contains("\n1,1,'=1+1,,,") && safe.output.contains("\n2,2,\"\\u{1b}[31m,x\",,,"))
        let raw = try await validate("--format", "lines", "--raw", input: input)
        #expect(raw.output.contains("\n1,1,=1+1,,,") && raw.output.contains("\n2,2,\"\u{1B}[31m,x\",,,"))
    }

    /// A file of several chunks, which the jobs finish in any order.
    @Test(arguments: [[], ["--json"]]) func outputIsTheSameForAnyNumberOfJobs(_ format: [String]) async throws {
        let names = (0..<60_000).map {
            ["n\($0 % 20_011)", "N\($0 % 17)x", "x", "a\($0 % 3 == 0 ? "l" : "1")\($0 % 1000)"][$0 % 4]
        }
        let file = try folder.file("many.txt", names.joined(separator: "\n"))
        func run(_ options: String...) async throws -> (status: Int, output: String, words: [Substring]) {
            let result = try await Program.run(["validate", file] + format + options, in: folder.path)
            // The first line says how many rows there were in a second.
            return (result.status, result.output, Array(result.words.split(separator: "\n").dropFirst()))
        }
        let one = try await run("--jobs", "1", "--memory", "16")
        #expect(one.status == 1 && one.words.contains { $0.contains(" like ") })
        for jobs in ["1", "2", "16", "1024"] {
            let many = try await run("--jobs", jobs)
            // Compared outside #expect, which would print both.
            let isSame = one == many
            #expect(isSame, "\(jobs) jobs")
        }
    }

    // MARK: Input

    @Test(arguments: [
        (["--column", "login"], "id,login\n1,alice\n2,x\n", "x"), (["--column", "2"], "id,login\n1,alice\n2,x\n", "x"),
        (["--column", "LOGIN"], "id,login\n1,alice\n2,x\n", "x"), ([], "id,username\n1,alice\n2,x\n", "x"),
        (["--no-header", "--column", "2"], "1,alice\n2,x\n", "x"), (["--no-header"], "x\nalice\n", "x"),
        (["--header", "--format", "csv"], "x\nalice\nyy\n", "yy"), (["--separator", ";"], "id;username\n1;x\n", "x"),
        (["--separator", ";", "--format", "csv"], "id;username\n1;x\n", "x"),
        (["--separator", "\t"], "id\tuser\n1\tx\n", "x"),
        (["--format", "tsv"], "id\tusername\n1\tx\n", "x"), ([], "id\tusername\n1\tx\n", "x"),
        (["--format", "lines"], "a,b\n", "\"a,b\""), (["--format", "csv"], "username\n\"x\"\n", "x"),
        (["--format", "ndjson"], "{\"username\":\"x\"}\n", "x"), ([], "{\"username\":\"x\"}\n", "x"),
        (["--format", "ndjson", "--column", "user.name"], "{\"user\":{\"name\":\"x\"}}\n", "x"),
        (["--format", "auto"], "x\n", "x"),
    ])
    func inputIsReadAsTheOptionsSay(_ arguments: [String], _ input: String, _ refused: String) async throws {
        let result = try await Program.run(["validate"] + arguments, in: folder.path, input: input)
        #expect(result.status == 1, "\(result.words)")
        let rows = result.output.split(separator: "\n").dropFirst()
        #expect(rows.count == 1 && rows.first?.contains(",\(refused),,,invalid,") == true, "\(result.output)")
    }

    @Test func gzipIsRecognisedByContentRatherThanName() async throws {
        let plain = try folder.file("users.csv", "id,username\n1,alice\n2,x\n")
        try await folder.shell("gzip -c '\(plain)' > '\(plain).gz' && cp '\(plain).gz' '\(folder.path)/disguised'")
        let expected = try await validate(plain).output
        #expect(expected == Self.header + "3,2,x,,,invalid,too_short:1,,\n")
        let compressed = try await validate("\(plain).gz")
        #expect(compressed.output == expected)
        let disguised = try await validate("\(folder.path)/disguised")
        #expect(disguised.output == expected)
        try await folder.shell(
            "'\(Program.path)' validate --quiet < '\(plain).gz' > '\(folder.path)/piped'; test $? = 1")
        #expect(try folder.contents("piped") == expected)
    }

    // MARK: Reports

    @Test(arguments: ["report", "report/", "./report//"])
    func outputFolderGetsAValidAndARefusedReport(_ output: String) async throws {
        if output == "report" { try await folder.shell("mkdir '\(folder.path)/report'") }
        try folder.file("users.txt", "alice\nx\nAlice\nal1ce\n")
        let result = try await validate("users.txt", "--output", output)
        #expect(result.status == 1 && result.output.isEmpty, "\(result.words)")
        #expect(
            try folder.contents("report/users.valid.csv") == """
                \(Self.header)1,1,alice,alice,alice,valid,,,
                4,4,al1ce,al1ce,al1ce,valid,,lookalike,1

                """)
        #expect(
            try folder.contents("report/users.refused.csv") == Self.header
                + "2,2,x,,,invalid,too_short:1,,\n3,3,Alice,alice,Alice,duplicate,,capitals,1\n")
    }

    @Test(arguments: [("a.b.csv.gz", "a.b"), ("names", "names"), (".names", ".names"), ("a.txt", "a"), ("-", "stdin")])
    func reportsAreNamedAfterTheInput(_ input: String, _ name: String) async throws {
        if input != "-" { try folder.file(input, "username\nalice\nx\n") }
        let result = try await validate(
            input, "--json", "--output", "out/", input: input == "-" ? "username\nalice\nx\n" : "")
        #expect(result.status == 1, "\(result.words)")
        let made = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out").sorted()
        #expect(made == ["\(name).refused.ndjson", "\(name).valid.ndjson"])
        let refused = try Self.objects(try folder.contents("out/\(name).refused.ndjson"))
        #expect(refused.last?["input"] as? String == "x")
    }

    @Test func outputFileIsReplacedByOneReport() async throws {
        try folder.file("old.csv", String(repeating: "what was there\n", count: 100))
        let result = try await validate("--output", "old.csv", input: "alice\nx\n")
        #expect(result.status == 1 && result.output.isEmpty)
        #expect(try folder.contents("old.csv") == Self.header + "2,2,x,,,invalid,too_short:1,,\n")
        _ = try await validate("--json", "--output", "all.ndjson", input: "alice\nx\n")
        #expect(try Self.objects(folder.contents("all.ndjson")).count == 2)
    }

    @Test(arguments: [(["missing.csv"], 66), (["--column", "nick", "names.csv"], 65)])
    func olderReportStaysWhenTheInputIsUnusable(_ arguments: [String], _ status: Int) async throws {
        try folder.file("names.csv", "id,name\n1,alice\n")
        try folder.file("old.csv", "an older one\n")
        let result = try await Program.run(["validate", "--output", "old.csv"] + arguments, in: folder.path)
        #expect(result.status == status)
        #expect(try folder.contents("old.csv") == "an older one\n")
    }

    @Test func reportNeverOverwritesTheInput() async throws {
        let names = try folder.file("names.txt", "alice\nx\n")
        try await folder.shell("ln -s names.txt link.txt && ln names.txt other.txt")
        for (input, output) in [
            (names, names), (names, "link.txt"), (names, "other.txt"), (names, "./names.txt"), ("link.txt", names),
        ] {
            let result = try await validate(input, "--output", output)
            #expect(result.status == 64)
            #expect(
                result.words
                    == "handles: the report \(output) would overwrite the file that is read; give another --output\n")
        }
        try await folder.shell("'\(Program.path)' validate --output names.txt < names.txt; test $? = 64")
        #expect(try folder.contents("names.txt") == "alice\nx\n")
        // A device has no content that a report could overwrite.
        #expect(try await validate("/dev/null", "--output", "/dev/null").status == 0)
    }

    @Test func validateStopsQuietlyWhenItsOutputPipeIsClosed() async throws {
        let names = try folder.file("many.txt", (0..<200_000).map { "x\($0 % 7)" }.joined(separator: "\n"))
        try await folder.shell(
            "'\(Program.path)' validate '\(names)' 2> '\(folder.path)/words' | head -1 > '\(folder.path)/first'")
        #expect(try folder.contents("first") == Self.header)
        #expect(try folder.contents("words") == "")
    }

    static func objects(_ lines: String) throws -> [[String: Any]] {
        try lines.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }
}
