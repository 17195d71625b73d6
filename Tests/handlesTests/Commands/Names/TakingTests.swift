import Foundation
import HandleRegistry
import HandleRules
import TestService
import TestSupport
import Testing

/// Commands that take names from their owners ask for confirmation at a terminal, and elsewhere need `--yes`.
@Suite struct TakingTests {
    private let folder = TemporaryFolder.make("taking")

    private func state(_ name: String, _ run: Commands) async throws -> String? {
        try await run.registry().record(of: handle(name)).map { "\($0.state) \($0.owner?.id ?? "-")" }
    }

    @Test func releaseFromAnOwnerNeedsYesWithoutATerminal() async throws {
        let run = try await Commands(in: folder)
        _ = try await run("claim", "johndoe", "--for", "user-1")
        _ = try await run("reserve", "acme", "--reason", "ours")
        let refused = try await run("release", "acme", "johndoe")
        #expect(refused.status == 64)
        #expect(refused.output.isEmpty)
        #expect(
            refused.words
                == "handles: this takes names from their owners: confirm with --yes, as there is no terminal\n"
        )
        #expect(try await state("johndoe", run) == "claimed user-1")
        #expect(try await state("acme", run) == "reserved -")
        // A reservation has no owner to take the name from.
        #expect(try await run("release", "acme").output == "acme             free\n")
        let released = try await run("release", "johndoe", "@JohnDoe", "nobodys", "--yes", "--json", "--reason", "gone")
        #expect(released.status == 1)
        let lines = released.output.split(separator: "\n")
        #expect(lines.count == 2)
        let first = try #require(lines.first)
        #expect(
            first.hasPrefix(
                #"{"input":"johndoe","result":"released","handle":"johndoe","state":"quarantined","until":"20"#))
        #expect(
            lines.last
                == #"{"input":"nobodys","result":"not_found","handle":null,"state":null,"until":null}"#)
        // Asked again it changes nothing, and says what does.
        let kept = try await run("release", "johndoe")
        #expect(kept.status == 1 && kept.output.contains("was left as it is: quarantined until 20"))
        #expect(kept.output.hasSuffix("; with --now it is free at once\n"))
        #expect(try await run("release", "johndoe", "--now").status == 64)
        #expect(try await run("release", "johndoe", "--now", "--yes").output == "johndoe          free\n")
        #expect(try await run("show", "johndoe").output.contains("– gone"))
    }

    @Test func releaseAtATerminalAsksAndAcceptsOnlyYes() async throws {
        let run = try await Commands(in: folder)
        _ = try await run("claim", "JohnDoe", "--for", "user-1")
        for answer in ["n\n", "\n", "\u{4}", "yess\n"] {
            let kept = try await run.typing(answer, "release", "johndoe")
            #expect(kept.status == 1, "\(kept)")
            #expect(kept.output.hasPrefix("Take JohnDoe from user-1? It goes into quarantine until 20"))
            #expect(kept.output.hasSuffix("nothing was changed\n"))
        }
        let interrupted = try await run.typing("\u{3}", "release", "johndoe")
        #expect(interrupted.status == 130)
        #expect(interrupted.output.contains("nothing was changed\nhandles: interrupted\n"))
        #expect(try await state("johndoe", run) == "claimed user-1")
        let released = try await run.typing("Y\n", "release", "johndoe")
        #expect(released.status == 0)
        #expect(try await state("johndoe", run) == "quarantined -")
        // There is no question when no owner loses a name.
        #expect(try await run.typing("", "release", "johndoe", "nobodys").status == 1)
    }

    @Test func releaseOfManyNamesAsksOnce() async throws {
        let run = try await Commands(in: folder)
        let registry = try run.registry()
        _ = try await registry.claim("one_name", for: owner("user-1"))
        _ = try await registry.hold("two_name", for: owner("user\u{202E}-2"))
        let kept = try await run.typing("n\n", "release", "two_name", "one_name")
        #expect(kept.output.hasPrefix("  one_name of user-1: goes into quarantine until 20"))
        #expect(kept.output.contains("\n  two_name of user\\u{202e}-2: is free at once\nTake these 2 names"))
        #expect(try await run.typing("yes\n", "release", "two_name", "one_name").status == 0)
        #expect(try await state("one_name", run) == "quarantined -")
        #expect(try await state("two_name", run) == nil)
    }

    @Test func renameAsksBeforeTheOwnerLosesTheOldName() async throws {
        let run = try await Commands(in: folder)
        _ = try await run("claim", "johndoe", "--for", "user-1")
        let refused = try await run("rename", "johndoe", "JaneDoe", "--owner", "user-1")
        #expect(refused.status == 64 && refused.words.contains("takes johndoe from its owner: confirm with --yes"))
        // A change of capitals takes no name away, and a name of another owner is refused without a question.
        #expect(try await run("rename", "johndoe", "JOHNDOE", "--owner", "user-1").status == 0)
        let notTheirs = try await run("rename", "johndoe", "JaneDoe", "--owner", "user-2")
        #expect(notTheirs.status == 1 && notTheirs.words == "handles: johndoe: user-2 does not have it\n")
        let kept = try await run.typing("no\n", "rename", "johndoe", "JaneDoe", "--owner", "user-1")
        #expect(kept.status == 1 && kept.output.hasPrefix("Take JOHNDOE from user-1 for JaneDoe? It goes into"))
        #expect(try await state("johndoe", run) == "claimed user-1")
        let renamed = try await run.typing("y\n", "rename", "johndoe", "JaneDoe", "--owner", "user-1")
        #expect(renamed.status == 0 && renamed.output.hasSuffix("JaneDoe is user-1's now\n"))
        #expect(try await run("rename", "johndoe", "JaneDoe", "--owner", "user-1").status == 0)
    }

    @Test func assignGivesNamesToAnOwner() async throws {
        let run = try await Commands(in: folder)
        _ = try await run("reserve", "Acme", "beta_co", "gamma_co", "--reason", "ours")
        _ = try await run("reserve", "delta_co", "--reason", "ours", "--for", "org-2")
        _ = try await run("claim", "johndoe", "--for", "user-1")
        let first = try await run("assign", "Acme", "--to", "org-1", "--reason", "papers")
        #expect(first.status == 0 && first.output == "Acme             is org-1's now\n")
        let again = try await run("assign", "acme", "--to", "org-1", "--reason", "papers")
        #expect(again.status == 0 && again.output == "acme             is org-1's already\n")
        let shown = try await run("show", "acme")
        #expect(shown.output.contains("reserved → claimed") && shown.output.contains("– papers"))
        let others = try await run("assign", "beta_co", "nobodys", "x", "--to", "org-1", "--reason", "papers", "--json")
        let lines = others.output.split(separator: "\n")
        #expect(others.status == 1 && lines.count == 3)
        #expect(others.output.hasPrefix(#"{"input":"beta_co","result":"assigned","record":{"handle":"beta_co","#))
        #expect(lines.last?.contains(#""result":"invalid","record":null"#) == true)
        let refused = try await run("assign", "gamma_co", "delta_co", "johndoe", "--to", "org-3", "--reason", "papers")
        #expect(refused.status == 64 && refused.words.contains("takes names from others: confirm with --yes"))
        #expect(try await state("gamma_co", run) == "reserved -")
        let kept = try await run.typing("\n", "assign", "delta_co", "johndoe", "--to", "org-3", "--reason", "papers")
        #expect(
            kept.status == 1
                && kept.output.hasPrefix(
                    "  delta_co is reserved for org-2\n  johndoe is claimed by user-1\nAssign to org-3")
        )
        #expect(try await state("delta_co", run) == "reserved org-2")
        let taken = try await run("assign", "delta_co", "johndoe", "--to", "org-3", "--reason", "papers", "--yes")
        #expect(taken.status == 0)
        #expect(try await state("delta_co", run) == "claimed org-3")
        #expect(try await state("johndoe", run) == "claimed org-3")
        #expect(try await run("verify").status == 0)
    }

    @Test func assignFromAnotherOwnerChangesNothing() async throws {
        let run = try await Commands(in: folder)
        _ = try await run("claim", "johndoe", "--for", "user-1")
        let wrong = try await run(
            "assign", "johndoe", "--to", "org-1", "--from", "user-2", "--reason", "papers", "--yes")
        #expect(wrong.status == 1)
        #expect(
            wrong.output
                == "johndoe          is not as expected: it is claimed by user-1 and was left as it is\n")
        #expect(
            try await run("assign", "johndoe", "--to", "org-1", "--from", "user-1", "--reason", "papers", "--yes")
                .status
                == 0)
    }

    @Test func forcedRenameReservesTheOldName() async throws {
        let run = try await Commands(in: folder)
        _ = try await run("claim", "acme_help", "--for", "user-8")
        let rename = ["rename", "acme_help", "visitor_8201", "--owner", "user-8", "--take"]
        #expect(try await run(rename + ["--yes"]).status == 64)
        let kept = try await run.typing(
            "n\n", "rename", "acme_help", "visitor_8201", "--owner", "user-8", "--take", "--reason", "impersonation")
        #expect(kept.output.hasPrefix("Take acme_help from user-8 for visitor_8201? It is reserved."))
        #expect(try await run(rename + ["--reason", "impersonation", "--yes"]).status == 0)
        #expect(try await run("rename", "visitor_8201", "acme_help", "--owner", "user-8", "--yes").status == 1)
        #expect(try await state("acme_help", run) == "reserved -")
    }

    @Test func lockedOwnersAreListedUntilTheyAreUnlocked() async throws {
        let run = try await Commands(in: folder)
        #expect(try await run("lock", "user-8").status == 64)
        #expect(try await run("list", "--locked").words == "no owner is locked\n")
        let locked = try await run("lock", "user-8", "--reason", "impersonates a shop", "--until", "2999-12-31")
        #expect(locked.status == 0 && locked.output == "user-8 is locked until 2999-12-31\n")
        let again = try await run("lock", "user-8", "--reason", "impersonates a shop", "--until", "2999-12-31")
        #expect(again.output == "user-8 is locked until 2999-12-31 already\n")
        let list = try await run("list", "--locked")
        #expect(list.output.contains("2999-12-31") && list.output.contains("impersonates a shop"))
        let json = try await run("list", "--locked", "--json").output
        #expect(json.hasPrefix(#"{"owner":"user-8","locked":true,"until":"3000-01-01T00:00:00.000Z","#))
        #expect(try await run("list", "--locked", "--owner", "user-8").status == 64)
        #expect(try await run("unlock", "user-8").output == "user-8 is unlocked now\n")
        #expect(try await run("unlock", "user-8").output == "user-8 is not locked\n")
        #expect(try await run("verify").status == 0)
    }

    @Test func dryRunSaysTheSameAndAsksNothing() async throws {
        let run = try await Commands(in: folder)
        _ = try await run("claim", "johndoe", "--for", "user-1")
        _ = try await run("claim", "janedoe", "--for", "user-2")
        _ = try await run("reserve", "acme", "brandy", "orbit", "--reason", "ours")
        _ = try await run("reserve", "item1", "item_1", "--reason", "theirs", "--for", "org-2")
        for (arguments, found) in [
            (["rename", "johndoe", "Johnny_D", "--owner", "user-1"], "Johnny_D would be user-1's\n"),
            (["rename", "johnny_d", "janedoe", "--owner", "user-1"], ""),
            (
                ["assign", "acme", "acme", "brandy", "janedoe", "nobodys", "x", "--to", "org-1", "--reason", "papers"],
                """
                acme             would be org-1's
                acme             is org-1's already
                brandy           would be org-1's
                janedoe          would be org-1's
                nobodys          would be org-1's
                x                A handle has at least 3 characters; this has 1.

                """
            ),
            (
                ["assign", "item1", "item_1", "--to", "org-3", "--allow-lookalike", "--reason", "papers"],
                "item1            would be org-3's. Look-alikes in use: item_1\nitem_1           would be org-3's\n"
            ),
            (["release", "orbit", "no_ones"], "orbit            would be free\nno_ones          it is free already\n"),
        ] {
            let before = try await run("export", "--history").output
            let dry = try await run(arguments + ["--dry-run"], with: ["HANDLES_PER_OWNER": "2"])
            #expect(dry.output == found)
            #expect(try await run("export", "--history").output == before)
            let made = try await run(arguments + ["--yes"], with: ["HANDLES_PER_OWNER": "2"])
            let said = found.replacing("would be free", with: "free")
                .replacing(#/would be (\S+'s)/#) { "is \($0.1) now" }
            #expect(made.output == said && made.words == dry.words && made.status == dry.status)
        }
        let released = try await run("release", "janedoe", "--dry-run")
        #expect(released.status == 0 && released.output.hasPrefix("janedoe          would be quarantined until 20"))
        #expect(try await run("release", "janedoe", "--dry-run", "--json").output.contains(#""result":"released""#))
        #expect(try await state("janedoe", run) == "claimed org-1")
    }

    @Test(arguments: [
        ["assign", "acme"], ["assign", "--to", "o", "--reason", "x"], ["assign", "acme", "--to", "", "--reason", "x"],
        ["assign", "acme", "--to", "o"], ["assign", "acme", "--to", "o", "--reason", "x", "--from", ""],
        ["assign", "acme", "--to", "o", "--reason", " "], ["release"], ["release", "x", "--reason", ""],
        ["rename", "a", "--owner", "o"], ["rename", "a", "b", "--owner", "o", "--yes", "--no"],
    ])
    func assignReleaseAndRenameRefuseWrongOptions(_ arguments: [String]) async throws {
        let result = try await Program.run(arguments, in: folder)
        #expect(result.status == 64 && !result.words.isEmpty)
    }
}
