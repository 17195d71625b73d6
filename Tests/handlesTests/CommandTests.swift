import Foundation
import HandleRegistry
import TestService
import TestSupport
import Testing

@Suite(.serialized) struct CommandTests {
    private let folder = TemporaryFolder.make("commands")

    @Test func checkClaimShowSuggestAndReleaseWorkOnOneRegistry() async throws {
        let run = try await Commands(in: folder, on: TestCluster.shared.emptyDatabase())
        let first = try await run("check", "JohnDoe", "janedoe")
        #expect(first.status == 0)
        #expect(first.output == "JohnDoe          available\njanedoe          available\n")
        #expect(try await run("claim", "JohnDoe", "--for", "user-1").output == "JohnDoe claimed for user-1\n")
        #expect(try await run("claim", "johndoe", "--for", "user-1").status == 0)
        let loser = try await run("claim", "johndoe", "--for", "user-2")
        #expect(loser.status == 1)
        #expect(loser.words == "handles: johndoe: This name is claimed.\n")
        let check = try await run("check", "--json", "johndoe", "x")
        #expect(check.status == 1)
        #expect(check.output.split(separator: "\n").count == 2)
        #expect(check.output.contains(#""status":"unavailable""#) && check.output.contains(#""status":"invalid""#))
        let shown = try await run("show", "@johndoe")
        #expect(shown.output.contains("owner     user-1\n"))
        #expect(try await run("show", "nobody_has").status == 1)
        #expect(try await run("suggest", "johndoe", "--seed", "1").output.split(separator: "\n").count == 5)
        #expect(
            try await run("suggest", "johndoe", "--seed", "1").output == run("suggest", "johndoe", "--seed", "1").output
        )
        #expect(try await run("release", "johndoe", "--yes").output.contains("quarantined until 20"))
        #expect(try await run("release", "nobody_has").status == 1)
        #expect(try await run("migrate").words == "the schema is up to date (version \(Registry.schemaVersion))\n")
    }

    @Test func reserveCanBeRepeatedWithoutChangingReservations() async throws {
        let run = try await Commands(in: folder, on: TestCluster.shared.emptyDatabase())
        let dry = try await run("reserve", "Acme", "acme_labs", "x", "acme", "--reason", "ours", "--dry-run")
        #expect(dry.words == "2 would be reserved, 0 already reserved, 2 refused\n")
        #expect(try await run("check", "acme").status == 0)
        let first = try await run(
            "reserve", "Acme", "acme_labs", "x", "acme", "--reason", "ours", "--for", "org-1", "--until", "2999-12-31")
        #expect(first.status == 1)
        #expect(first.words == "2 reserved, 0 already reserved, 2 refused\n")
        #expect(
            first.output == """
                Acme             reserved
                acme_labs        reserved
                x                invalid          A handle has at least 3 characters; this has 1.
                acme             duplicate        The same name as in line 1.

                """)
        let again = try await run("reserve", "Acme", "acme_labs", "--reason", "ours", "--undo", "undo.csv")
        #expect(again.status == 0 && again.words == "0 reserved, 2 already reserved, 0 refused\n")
        #expect(try await run("show", "acme").output.contains("until     2999-12-31\n"))
        #expect(try await run("claim", "acme", "--for", "other").words == "handles: acme: This name is reserved.\n")
        #expect(try await run("claim", "acme", "--for", "org-1").status == 0)
        #expect(try await run("reserve", "acme", "--reason", "late").words.contains("1 refused"))
    }

    @Test(arguments: [
        (["nonsense"], 64), (["check"], 64), (["check", "--nonsense"], 64), (["suggest", "a", "--count", "21"], 64),
        (["reserve", "abc"], 64), (["reserve", "--reason", "x"], 64), (["reserve", "abc", "--reason", " "], 64),
        (["reserve", "abc", "--reason", "x", "--until", "tomorrow"], 64), (["claim", "abc"], 64),
        (["reserve", "abc", "--reason", "x", "--until", "2001-01-01"], 64), (["claim", "abc", "--for", ""], 64),
        (["reserve", "--file", "/nonexistent", "--reason", "x"], 66),
        (["serve", "--port", "x"], 64), (["serve", "--port", "65536"], 64),
        (["check", "abc", "--database-url", "host=/nonexistent"], 69), (["migrate", "--database-url", "nonsense"], 69),
        (["check", "abc", "--data", "/proc/nothing/here"], 69), (["--help"], 0), (["--version"], 0),
        (["help", "serve"], 0),
    ])
    func invocationsEndWithTheirDocumentedExitStatus(_ arguments: [String], _ status: Int) async throws {
        var arguments = arguments
        // With this status the database is opened before the fault is found, so use one in the test's folder, never a
        // real one.
        if status == 66 { arguments += ["--data", folder + "/pg"] }
        let result = try await Program.run(arguments, in: folder)
        #expect(result.status == status, "\(arguments): \(result.words)")
        #expect(status == 0 || !result.words.isEmpty)
        #expect(!result.words.contains("Fatal error"))
    }

    @Test(arguments: [
        ("chekc johndoe", "chekc; did you mean check?"), ("hlep", "hlep; did you mean help?"),
        ("keys creat", "keys creat; did you mean keys create?"), ("help chekc", "chekc; did you mean check?"),
        ("help words improt", "words improt; did you mean words import?"),
        ("nonsense --json", "nonsense; handles help lists the commands"),
        ("keys help", "keys help; handles help keys lists the commands"),
    ])
    func unknownCommandIsRefusedWithTheOneThatWasMeant(_ words: String, _ hint: String) async throws {
        let result = try await Program.run(words.split(separator: " ").map(String.init), in: folder)
        #expect(result.status == 64 && result.output.isEmpty)
        #expect(result.words == "handles: there is no command \(hint)\n")
    }

    @Test(arguments: [
        ("validate --jobs -1", "--jobs is a number from 1 to 1024."),
        ("validate --memory -16", "--memory is a number of MiB from 16 on."),
        ("suggest abc --count -1", "--count is a number from 0 to 20."),
        ("suggest abc --seed -1", "The value '-1' is invalid for '--seed <seed>'"),
        ("list --limit -1", "--limit is a number from 1 on."), ("list --limt 1", "Did you mean '--limit'?"),
        ("keys create --name x --scope read --limit -1/5m", "--limit is '-1/5m'; it is a number and a time"),
        ("serve --port -1", "HANDLES_PORT (--port) is '-1'; it is a number from 0 to 65535"),
    ])
    func wrongOptionIsRefusedWithTheRule(_ words: String, _ rule: String) async throws {
        let result = try await Program.run(words.split(separator: " ").map(String.init), in: folder)
        #expect(result.status == 64 && result.words.contains(rule), "\(result.words)")
    }

    @Test(arguments: [
        (["HANDLES_PROT": "80"], "HANDLES_PROT is not a setting; did you mean HANDLES_PORT?"),
        (["HANDLES_DATABASE_URL": "x"], "did you mean DATABASE_URL?"),
        (["HANDLES_COLOUR": "x"], "HANDLES_COLOUR is not a setting; handles settings lists them"),
        (["HANDLES_PORT": "http"], "HANDLES_PORT"),
        (["HANDLES_ADMIN_KEY": "short"], "at least 16 characters"),
        (["HANDLES_QUARANTINE": "30"], "HANDLES_QUARANTINE"),
        (["HANDLES_HOLD": "2h"], "HANDLES_HOLD"), (["HANDLES_PER_OWNER": "-1"], "0 for no limit"),
        (["HANDLES_LOOKALIKES": "none"], "protected or strict"), (["HANDLES_HOLD_PAUSE": "x"], "HANDLES_HOLD_PAUSE"),
        (["HANDLES_QUARANTINE": "-1d"], "HANDLES_QUARANTINE"), (["HANDLES_HOLD": "500ms"], "HANDLES_HOLD"),
        (["HANDLES_TYPING_PAUSE": "6s"], "from 0s to 5s"),
        (["HANDLES_READ_URL": "host=replica password=0123456789abcdef"], "DATABASE_URL, which is not set"),
        (["HANDLES_ADMIN_KEY": "0123456789abcdef", "HANDLES_ADMIN_KEY_FILE": "/x"], "keep one of them"),
    ])
    func serveRefusesAWrongSettingInOneLineWithoutSecrets(_ variables: [String: String], _ words: String) async throws {
        let result = try await Program.run(["serve"], in: folder, variables)
        #expect(result.status == 64)
        #expect(result.words.contains(words))
        #expect(result.words.split(separator: "\n").count == 1)
        #expect(!result.words.contains("0123456789abcdef"))
    }

    @Test(arguments: [
        ("postgresql://me:0123456789@/nonexistent", true), ("host=/nonexistent password=0123456789", true),
        ("postgresql:///db?host=/nonexistent&password=0123456789", true), ("postgresql://me@/nonexistent", false),
        ("host=/nonexistent", false),
    ])
    func passwordInTheArgumentsIsWarnedAbout(_ url: String, _ isWarned: Bool) async throws {
        let result = try await Program.run(["check", "abc", "--database-url", url], in: folder)
        #expect(result.status == 69)
        #expect(result.words.contains("other users of this machine can read the password") == isWarned)
        #expect(!result.words.contains("0123456789"))
    }

    /// Any part of an invalid connection string may be the password, and libpq quotes such parts in its messages.
    @Test(
        arguments: [
            "postgresql://me:s3cr3t%part@db.invalid/x", "postgresql://me:x@s3cr3tpart@db.invalid/x",
            "postgresql://me:s3cr3tpart/x@db.invalid/x", "host=db.invalid password=two s3cr3tpart",
            "postgresql://me:s3cr3tpart@[::1/x", "postgresql://me:12/s3cr3tpart@db.invalid/x",
            "host=/nonexistent port=s3cr3tpart", "mysql://me:s3cr3tpart@db.invalid/x",
        ], ["DATABASE_URL", "HANDLES_READ_URL", "--database-url"])
    func invalidConnectionStringIsRefusedWithoutQuotingIt(_ text: String, _ place: String) async throws {
        let arguments = place == "--database-url" ? ["check", "abc", place, text] : ["serve", "--port", "0"]
        let result = try await Program.run(
            arguments, in: folder,
            ["DATABASE_URL": "host=/nonexistent"].merging(place.hasPrefix("-") ? [:] : [place: text]) { $1 })
        #expect(result.status == 64, "\(result.words)")
        #expect(!result.words.contains("s3cr3t") && !result.output.contains("s3cr3t"))
        let advice = ["%40", "quotes", "65535", "begins with postgresql://"]
        #expect(advice.contains { result.words.contains($0) })
    }

    @Test func renameIsShownInTheHistoryAndPassesVerify() async throws {
        let run = try await Commands(in: folder)
        #expect(try await run("claim", "johndoe", "--for", "user-1").status == 0)
        let full = try await run("claim", "janedoe", "--for", "user-1")
        #expect(full.status == 1 && full.words.contains("An owner has one handle"))
        #expect(
            try await run("rename", "johndoe", "JaneDoe", "--owner", "user-1", "--reason", "married", "--yes").status
                == 0)
        #expect(try await run("rename", "johndoe", "other", "--owner", "user-2").status == 1)
        let shown = try await run("show", "johndoe")
        #expect(shown.output.contains("quarantined") && shown.output.contains("married"))
        #expect(shown.output.contains("claimed → quarantined") && shown.output.contains("cli:"))
        let verified = try await run("verify")
        #expect(verified.status == 0 && verified.words == "3 events checked, all is well\n")
        #expect(try await run("migrate", "--distributed").status == (TestCluster.shared.isDistributed ? 0 : 69))
    }

    @Test func reserveReportsLookalikesOfTheName() async throws {
        let run = try await Commands(in: folder)
        _ = try await run("claim", "acrne", "--for", "user-1")
        let reserved = try await run("reserve", "acme", "--reason", "trademark")
        #expect(reserved.status == 0 && reserved.output.contains("acrne"))
        #expect(try await run("reserve", "4cme", "--reason", "trademark", "--for", "org-1").status == 1)
        #expect(
            try await run("reserve", "4cme", "--reason", "trademark", "--for", "org-1", "--allow-lookalike").status == 0
        )
        #expect(try await run("claim", "acm3", "--for", "user-2", "--allow-lookalike").status == 64)
        #expect(
            try await run("claim", "acm3", "--for", "user-2", "--allow-lookalike", "--reason", "checked").status == 0)
    }
}
