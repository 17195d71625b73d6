import TestService
import TestSupport
import Testing

/// Old names that lead to their owner's present one.
@Suite struct ForwardTests {
    private let folder = TestFolder("forward")

    @Test func forwardedNameLeadsToThePresentOneUntilThatIsEnded() async throws {
        let run = try await Commands(in: folder.path)
        _ = try await run("claim", "JohnDoe", "--for", "user-1")
        let rename = ["rename", "johndoe", "JohnnyDoe", "--owner", "user-1", "--forward"]
        let kept = try await run.typing("n\n", "rename", "johndoe", "JohnnyDoe", "--owner", "user-1", "--forward")
        #expect(kept.output.contains(" UTC, and leads to the new one. [y/N] "), "\(kept)")
        #expect(try await run(rename + ["--dry-run"]).output == "JohnnyDoe would be user-1's\n")
        #expect(try await run(rename + ["--yes"]).status == 0)
        let moved = try await run("show", "johndoe")
        #expect(moved.status == 0 && moved.output.contains("\nmoved to  JohnnyDoe until 20"), "\(moved)")
        let json = try await run("show", "johndoe", "--json").output
        #expect(json.contains(#","moved_to":{"handle":"johnnydoe","display":"JohnnyDoe"},"decision":"#))
        // The way is to the owner, and leads on. The second rename makes none.
        #expect(try await run("rename", "johnnydoe", "Johnny_D", "--owner", "user-1", "--yes").status == 0)
        #expect(try await run("show", "johndoe").output.contains("\nmoved to  Johnny_D until 20"))
        let other = try await run("show", "johnnydoe")
        #expect(other.output.contains("\nstate     quarantined\n") && !other.output.contains("moved to"))

        let ended = try await run("unforward", "johndoe", "--reason", "asked for it")
        #expect(ended.status == 0 && ended.output == "JohnDoe leads nowhere now\n")
        let shown = try await run("show", "johndoe")
        #expect(!shown.output.contains("moved to") && shown.output.contains("forward_ended"))
        #expect(shown.output.contains("\nstate     quarantined\n") && shown.output.hasSuffix("– asked for it\n"))
        #expect(try await run("show", "johndoe", "--json").output.contains("moved_to") == false)
        #expect(try await run("unforward", "johndoe").output == "JohnDoe leads nowhere\n")
        #expect(try await run("unforward", "Johnny_D").output == "Johnny_D leads nowhere\n")
        #expect(try await run("unforward", "johndoe", "--json").output.hasPrefix(#"{"handle":"johndoe","#))
        let free = try await run("unforward", "nobodys")
        #expect(free.status == 1 && free.words == "handles: nobodys is free\n")
        #expect(try await run("unforward", "x!").status == 1)
        #expect(try await run("verify").status == 0)
    }

    @Test func renamesOfAFileAreForwarded() async throws {
        let run = try await Commands(in: folder.path)
        _ = try await run("claim", "johndoe", "--for", "user-1")
        _ = try await run("claim", "janedoe", "--for", "user-2")
        let file = try folder.file("renames.csv", "old,new,owner\njohndoe,John_D,user-1\njanedoe,Jane_D,user-2\n")
        #expect(try await run("rename", "--file", file, "--forward", "--yes").status == 0)
        #expect(try await run("show", "johndoe").output.contains("\nmoved to  John_D until 20"))
        #expect(try await run("show", "janedoe").output.contains("\nmoved to  Jane_D until 20"))
        #expect(try await run("release", "--undo", "renames.undo.csv").status == 0)
        #expect(try await run("show", "janedoe").output.contains("\nowner     user-2\n"))
        #expect(try await run("verify").status == 0)
    }

    @Test(arguments: [
        ["rename", "a_name", "b_name", "--owner", "o", "--take", "--forward", "--reason", "x"],
        ["rename", "--file", "x", "--take", "--forward"], ["unforward"], ["unforward", "a_name", "--reason", " "],
    ])
    func wrongUseIsRefused(_ arguments: [String]) async throws {
        #expect(try await Program.run(arguments, in: folder.path).status == 64)
    }
}
