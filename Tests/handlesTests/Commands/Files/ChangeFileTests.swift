import TestService
import TestSupport
import Testing

@testable import handles

@Suite struct ChangeFileTests {
    private let folder = TestFolder("change-file")

    private func states(_ run: Commands) async throws -> String {
        try await run("export").output.replacing(#/"(since|sha256)":"[^"]*"/#, with: "")
    }

    @Test func fileThatTakesNamesFromOwnersAsksFirst() async throws {
        let run = try await Commands(in: folder.path)
        for name in ["johndoe", "janedoe"] { _ = try await run("claim", name, "--for", "user-\(name)") }
        let names = try folder.file("names.txt", "johndoe\njanedoe\n")
        let before = try await states(run)
        for command in [["release"], ["reserve", "--take", "--reason", "ours"]] {
            let refused = try await run(command + ["--file", names])
            #expect(refused.status == 64)
            #expect(refused.words.contains("this takes names from their owners: confirm with --yes"))
        }
        let kept = try await run.typing("n\n", "release", "--file", names)
        #expect(kept.status == 1)
        #expect(kept.output.hasPrefix("The file has 2 rows. Take its names from the owners that have them? [y/N]"))
        let dry = try await run("release", "--file", names, "--dry-run")
        #expect(dry.status == 0 && dry.words.hasPrefix("2 rows: 2 would be released, 0 already released, 0 refused ("))
        #expect(try await states(run) == before)
        let released = try await run("release", "--file", names, "--yes")
        #expect(released.status == 0 && released.output == dry.output)
        #expect(released.words.hasSuffix("\nTo undo it: handles release --undo names.undo.csv\n"))
        #expect(try await states(run) != before)
        let undone = try await run("release", "--undo", "names.undo.csv")
        #expect(undone.status == 0)
        #expect(undone.output == "johndoe          claimed again\njanedoe          claimed again\n")
        #expect(undone.words == "0 released, 2 given back, 0 changed since and left as they are\n")
        #expect(try await states(run) == before)
        #expect(try await run("verify").status == 0)
    }

    @Test func namesReservedFromTheirOwnersAreGivenBack() async throws {
        let run = try await Commands(in: folder.path)
        _ = try await run("claim", "johndoe", "--for", "user-1")
        let before = try await states(run)
        let refused = try await run("reserve", "johndoe", "--reason", "ours", "--take")
        #expect(refused.status == 64)
        let names = try folder.file("taken.txt", "johndoe\nfree_one\n")
        #expect(try await run("reserve", "--file", names, "--reason", "ours", "--take", "--yes").status == 0)
        #expect(try await run("show", "johndoe").output.contains("reason    ours\n"))
        let undone = try await run("release", "--undo", "taken.undo.csv", "--reason", "wrong list")
        #expect(undone.words == "1 released, 1 given back, 0 changed since and left as they are\n")
        #expect(try await states(run) == before)
    }

    @Test func claimsOfAFileAreUndoneAtOnce() async throws {
        let run = try await Commands(in: folder.path)
        let before = try await run("export").output
        let users = try folder.file("users.csv", "id,username\nu1,JaneRoe\nu2,J!m\nu3,adm1n\n")
        let arguments = ["claim", "--file", users, "--owner-column", "id", "--repair"]
        #expect(try await run(arguments + ["--dry-run"]).status == 0)
        let claimed = try await run(arguments + ["--undo", "claims.csv"])
        #expect(claimed.status == 0 && claimed.words.hasSuffix("To undo it: handles release --undo claims.csv\n"))
        // Names that were claimed before are not noted again.
        let undo = try folder.contents("claims.csv")
        #expect(try await run(arguments + ["--undo", "claims.csv"]).status == 0)
        #expect(try folder.contents("claims.csv") == undo)
        let undone = try await run("release", "--undo", "claims.csv")
        #expect(undone.status == 0 && undone.words == "3 released, 0 changed since and left as they are\n")
        #expect(try await run("export").output == before)
    }

    @Test(arguments: [
        ["release", "johndoe", "--file", "x"], ["rename", "a_name", "b_name", "--file", "x"],
        ["rename", "a_name", "b_name", "--owner", "o", "--undo", "x"], ["assign", "--file", "x", "--to", "o"],
        ["assign", "a_name", "--to", "o", "--reason", "x", "--undo", "x"],
        ["claim", "a_name", "--for", "o", "--undo", "x"],
    ])
    func wrongUseIsRefused(_ arguments: [String]) async throws {
        #expect(try await Program.run(arguments, in: folder.path).status == 64)
    }
}
