import TestService
import TestSupport
import Testing

@testable import handles

@Suite struct ArchiveFileTests {
    private let folder = TestFolder("archive-file")

    private func command(_ database: String) -> (_ arguments: String...) async throws -> Program.Result {
        { arguments in try await Program.run(arguments, in: folder.path, ["DATABASE_URL": database]) }
    }

    @Test func archiveIsImportedFromAPipeAndConflictsAreReported() async throws {
        let first = try await TestCluster.shared.freshDatabase()
        let second = try await TestCluster.shared.freshDatabase()
        _ = try await command(first)("claim", "JohnDoe", "--for", "user-1")
        _ = try await command(first)("reserve", "acme", "--reason", "ours")
        let exported = try await command(first)("export", "--history")
        #expect(exported.status == 0 && exported.words == "2 names, 2 events, 0 changes of reserved words\n")
        let imported = try await Program.run(
            ["import", "-"], in: folder.path, ["DATABASE_URL": second], input: exported.output)
        #expect(imported.status == 0)
        #expect(imported.words.hasPrefix("2 names imported, 0 there already, 0 refused"))
        #expect(try await command(second)("export", "--history").output == exported.output)
        let other = try await TestCluster.shared.freshDatabase()
        _ = try await command(other)("claim", "acme", "--for", "user-2")
        let refused = try await command(other)("import", folder.file("archive.ndjson", exported.output))
        #expect(refused.status == 1)
        #expect(refused.output == "acme             refused: the name is known to this registry: it is claimed here\n")
        let nothing = try await command(other)("import", folder.file("nothing.ndjson", ""))
        #expect(nothing.status == 65 && nothing.words.contains("nothing.ndjson is empty"))
        #expect(try await command(other)("import", "/nonexistent").status == 66)
    }

    /// Another file is most likely one of names and owners.
    @Test(arguments: [
        "username,id\nanna,1\n", "anna\n", #"{"handle":"anna","owner":"1"}"#, #"[{"handle":"anna"}]"#,
        #"{"kind":"name","handle":"abc"}"#,
    ])
    func fileThatIsNoArchiveIsRefusedWithTheCommandForIt(_ text: String) async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let refused = try await Program.run(
            ["import", folder.file("users.csv", text)], in: folder.path, ["DATABASE_URL": database])
        #expect(refused.status == 65 && refused.words.contains("line 1 can't be imported: an archive of handles"))
        #expect(refused.words.contains("use handles claim --file; nothing was imported"), "\(refused.words)")
    }

    /// An incomplete archive imports nothing, from a file or from a pipe.
    @Test func incompleteArchiveIsRefused() async throws {
        let first = try await TestCluster.shared.freshDatabase()
        for name in ["johndoe", "janeroe", "acme"] { _ = try await command(first)("claim", name, "--for", name) }
        let lines = try await command(first)("export", "--history").output.split(separator: "\n").map { "\($0)\n" }
        let second = try await TestCluster.shared.freshDatabase()
        let cases = [
            (lines[..<5].joined(), "line 5 can't be imported: the archive is truncated here"),
            (lines.joined().replacing("johndoe", with: "johndoa"), "the hash doesn't match"),
            (String(lines.joined().dropLast(9)), "it is not a valid end line"),
            (lines.joined() + lines[1], "line 9 can't be imported: it comes after the end of the archive"),
            (lines.joined().replacing(#""names":3"#, with: #""names":4"#), "the counts of the end line don't match"),
        ]
        for (text, words) in cases {
            let fromFile = try await command(second)("import", folder.file("part.ndjson", text))
            let fromPipe = try await Program.run(
                ["import", "-"], in: folder.path, ["DATABASE_URL": second], input: text)
            for result in [fromFile, fromPipe] {
                #expect(result.status == 65 && result.words.contains(words), "\(result)")
                #expect(result.words.contains("nothing was imported"), "\(result)")
            }
        }
        #expect(try await command(second)("list").output.isEmpty)
        #expect(try await command(second)("import", folder.file("whole.ndjson", lines.joined())).status == 0)
        #expect(try await command(second)("export", "--history").output == lines.joined())
        let full = try await Program.run(
            ["import", "-"], in: folder.path, ["DATABASE_URL": second, "TMPDIR": "/nonexistent"], input: lines.joined())
        #expect(full.status == 73 && full.words.contains("TMPDIR"))
    }
}
