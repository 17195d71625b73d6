import TestService
import TestSupport
import Testing

@testable import handles

@Suite struct ArchiveFileTests {
    private let folder = TestFolder("archive-file")

    @Test func archiveIsImportedFromAPipeAndConflictsAreReported() async throws {
        let first = try await Commands(in: folder.path)
        let second = try await Commands(in: folder.path)
        _ = try await first("claim", "JohnDoe", "--for", "user-1")
        _ = try await first("reserve", "acme", "--reason", "ours")
        let exported = try await first("export", "--history")
        #expect(exported.status == 0 && exported.words == "2 names, 2 events, 0 changes of reserved words\n")
        let dry = try await second("import", "-", "--dry-run", input: exported.output)
        #expect(dry.status == 0 && dry.words.hasPrefix("2 names would be imported, 0 there already, 0 refused"))
        #expect(try await second("list").output.isEmpty)
        let imported = try await second("import", "-", input: exported.output)
        #expect(imported.status == 0)
        #expect(imported.words.hasPrefix("2 names imported, 0 there already, 0 refused"))
        #expect(try await second("export", "--history").output == exported.output)
        let other = try await Commands(in: folder.path)
        _ = try await other("claim", "acme", "--for", "user-2")
        for more in [["--dry-run"], []] {
            let refused = try await other(["import", folder.file("archive.ndjson", exported.output)] + more)
            let line = "acme             refused: the name is known to this registry: it is claimed here\n"
            #expect(refused.status == 1 && refused.output == line)
        }
        let nothing = try await other("import", folder.file("nothing.ndjson", ""))
        #expect(nothing.status == 65 && nothing.words.contains("nothing.ndjson is empty"))
        #expect(try await other("import", "/nonexistent").status == 66)
    }

    /// Another file is most likely one of names and owners.
    @Test(arguments: [
        "username,id\nanna,1\n", "anna\n", #"{"handle":"anna","owner":"1"}"#, #"[{"handle":"anna"}]"#,
        #"{"kind":"name","handle":"abc"}"#,
    ])
    func fileThatIsNoArchiveIsRefusedWithTheCommandForIt(_ text: String) async throws {
        let refused = try await Commands("import", in: folder.path)(folder.file("users.csv", text))
        #expect(refused.status == 65 && refused.words.contains("line 1 can't be imported: an archive of handles"))
        #expect(refused.words.contains("use handles claim --file; nothing was imported"), "\(refused.words)")
    }

    @Test func dryRunSaysThatNothingWasImportedAtAFaultToo() async throws {
        let run = try await Commands("import", in: folder.path)
        let file = try folder.file(
            "newer.ndjson",
            """
            {"kind":"registry","format":1,"history":0}
            {"kind":"other"}
            {"kind":"end","words":0,"locks":0,"names":1,"events":0,"sha256":\
            "9c61dd8f2ba2e79a6c888469166e8cbd7a8674d18a4d79849ce268d6786ec9ef"}

            """)
        let (dry, made) = (try await run(file, "--dry-run"), try await run(file))
        #expect(dry.status == 65 && dry.words.hasSuffix("its kind is unknown to this version; nothing was imported\n"))
        #expect(made.status == 65 && made.words.contains("lines above it may be imported already"))
    }

    /// An incomplete archive imports nothing, from a file or from a pipe.
    @Test func incompleteArchiveIsRefused() async throws {
        let first = try await Commands(in: folder.path)
        for name in ["johndoe", "janeroe", "acme"] { _ = try await first("claim", name, "--for", name) }
        let lines = try await first("export", "--history").output.split(separator: "\n").map { "\($0)\n" }
        let second = try await Commands(in: folder.path)
        let cases = [
            (lines[..<5].joined(), "line 5 can't be imported: the archive is truncated here"),
            (lines.joined().replacing("johndoe", with: "johndoa"), "the hash doesn't match"),
            (String(lines.joined().dropLast(9)), "it is not a valid end line"),
            (lines.joined() + lines[1], "line 9 can't be imported: it comes after the end of the archive"),
            (lines.joined().replacing(#""names":3"#, with: #""names":4"#), "the counts of the end line don't match"),
        ]
        for (text, words) in cases {
            let fromFile = try await second("import", folder.file("part.ndjson", text))
            let fromPipe = try await second("import", "-", input: text)
            for result in [fromFile, fromPipe] {
                #expect(result.status == 65 && result.words.contains(words), "\(result)")
                #expect(result.words.contains("nothing was imported"), "\(result)")
            }
        }
        #expect(try await second("list").output.isEmpty)
        #expect(try await second("import", folder.file("whole.ndjson", lines.joined())).status == 0)
        #expect(try await second("export", "--history").output == lines.joined())
        let full = try await second(
            "import", "-", with: ["TMPDIR": "/nonexistent"], input: lines.joined())
        #expect(full.status == 73 && full.words.contains("TMPDIR"))
    }
}
