import Foundation
import HandleRegistry
import TestSupport
import Testing

@Suite(.serialized) struct CommandTests {
    private let folder = TemporaryFolder.make("commands")

    /// Runs a command on a database of this test's own.
    private func command(_ database: String) -> (_ arguments: String...) async throws -> Program.Result {
        { arguments in try await Program.run(arguments, in: folder, ["DATABASE_URL": database]) }
    }

    @Test func workOnARegistry() async throws {
        let run = command(try await TestCluster.shared.emptyDatabase())
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
        #expect(try await run("release", "johndoe").output.contains("quarantined until 20"))
        #expect(try await run("release", "nobody_has").status == 1)
        #expect(try await run("migrate").words == "the schema is up to date (version \(Registry.schemaVersion))\n")
    }

    @Test func reserveNamesFromAFileAsOftenAsIsWanted() async throws {
        let run = command(try await TestCluster.shared.emptyDatabase())
        let file = "\(folder)/brands.txt"
        try "Acme\nacme_labs\r\nx\nacme\n".write(toFile: file, atomically: true, encoding: .utf8)
        let dry = try await run("reserve", "--file", file, "--reason", "ours", "--dry-run")
        #expect(dry.words == "3 would be reserved, 0 already reserved, 1 refused\n")
        #expect(try await run("check", "acme").status == 0)
        let first = try await run(
            "reserve", "--file", file, "--reason", "ours", "--for", "org-1", "--until", "2999-12-31")
        #expect(first.status == 1)
        #expect(first.words == "2 reserved, 1 already reserved, 1 refused\n")
        let again = try await run("reserve", "--file", file, "--reason", "ours")
        #expect(again.words == "0 reserved, 3 already reserved, 1 refused\n")
        #expect(try await run("show", "acme").output.contains("until     3000-01-01T00:00:00.000Z\n"))
        #expect(try await run("claim", "acme", "--for", "other").words == "handles: acme: This name is reserved.\n")
        #expect(try await run("claim", "acme", "--for", "org-1").status == 0)
        #expect(try await run("reserve", "acme", "--reason", "late").words.contains("1 refused"))
    }

    @Test func validateAFileWithoutADatabase() async throws {
        let file = "\(folder)/names.txt"
        try "JohnDoe\nx\n\nadm1n\r\n日本\nlast_one".write(toFile: file, atomically: true, encoding: .utf8)
        let result = try await Program.run(["validate", file], in: folder, ["DATABASE_URL": "host=/nonexistent"])
        #expect(result.status == 1)
        #expect(
            result.output
                == "2\tx\ttoo_short\n3\t\ttoo_short\n4\tadm1n\treserved_word\n5\t日本\ttoo_short,invalid_character,invalid_character\n"
        )
        #expect(result.words == "6 names: 2 fine, 4 refused\n")
        let fine = try await Program.run(["validate", "-"], in: folder, input: "johndoe\njanedoe\n")
        #expect(fine.status == 0)
        #expect(fine.output == "")
        let empty = try await Program.run(["validate"], in: folder)
        #expect(empty.status == 0)
        #expect(empty.words == "0 names: 0 fine, 0 refused\n")
        let json = try await Program.run(["validate", "--json"], in: folder, input: "JohnDoe\nx\n")
        #expect(json.output.split(separator: "\n").count == 2)
    }

    /// Turkish has another capital I, and other locales other alphabets: none of that matters here.
    @Test(arguments: ["C", "POSIX", "tr_TR.UTF-8", "de_DE.ISO-8859-1", "ar_EG.UTF-8"])
    func validateTheSameInEveryLocale(_ locale: String) async throws {
        let input = "TITLE_IN\nistanbul\nİstanbul\nısparta\nADM1N\nｆｏｏＩ\n١٢٣\nstraße\n"
        let plain = try await Program.run(["validate", "--json"], in: folder, input: input)
        let local = try await Program.run(
            ["validate", "--json"], in: folder, ["LC_ALL": locale, "LANG": locale, "LANGUAGE": locale], input: input)
        #expect(local.output == plain.output)
        #expect(local.output.split(separator: "\n").count == 8)
    }

    @Test func validateSaysWhichLineIsNotUTF8() async throws {
        let file = "\(folder)/latin.txt"
        try Data("fine\nM\u{FC}ller".unicodeScalars.map { UInt8($0.value) }).write(to: URL(fileURLWithPath: file))
        let result = try await Program.run(["validate", file], in: folder)
        #expect(result.status == 65)
        #expect(result.words.contains("line 2: not UTF-8"))
    }

    @Test(arguments: [
        (["nonsense"], 64), (["check"], 64), (["check", "--nonsense"], 64), (["suggest", "a", "--count", "21"], 64),
        (["reserve", "abc"], 64), (["reserve", "--reason", "x"], 64), (["reserve", "abc", "--reason", " "], 64),
        (["reserve", "abc", "--reason", "x", "--until", "tomorrow"], 64), (["claim", "abc"], 64),
        (["reserve", "abc", "--reason", "x", "--until", "2001-01-01"], 64), (["claim", "abc", "--for", ""], 64),
        (["validate", "/nonexistent/file"], 66), (["reserve", "--file", "/nonexistent", "--reason", "x"], 66),
        (["serve", "--port", "x"], 64), (["serve", "--port", "65536"], 64),
        (["check", "abc", "--database-url", "host=/nonexistent"], 69), (["migrate", "--database-url", "nonsense"], 69),
        (["check", "abc", "--data", "/proc/nothing/here"], 69), (["--help"], 0), (["--version"], 0),
        (["help", "serve"], 0),
    ])
    func endWithTheStatusOfTheContractAndAClearLine(_ arguments: [String], _ status: Int) async throws {
        var arguments = arguments
        // Where a database is looked for before the fault is found, it must not be somebody's real one.
        if status == 66 { arguments += arguments[0] == "reserve" ? ["--data", folder + "/pg"] : [] }
        let result = try await Program.run(arguments, in: folder)
        #expect(result.status == status, "\(arguments): \(result.words)")
        #expect(status == 0 || !result.words.isEmpty)
        #expect(!result.words.contains("Fatal error"))
    }

    @Test(arguments: [
        (["HANDLES_PROT": "80"], "HANDLES_PROT is no setting"), (["HANDLES_PORT": "http"], "HANDLES_PORT"),
        (["HANDLES_ADMIN_KEY": "short"], "at least 16 characters"),
        (["HANDLES_QUARANTINE": "30"], "HANDLES_QUARANTINE"),
        (["HANDLES_HOLD": "2h"], "HANDLES_HOLD"), (["HANDLES_PER_OWNER": "-1"], "0 for no limit"),
        (["HANDLES_LOOKALIKES": "none"], "protected or strict"), (["HANDLES_HOLD_PAUSE": "x"], "HANDLES_HOLD_PAUSE"),
        (["HANDLES_QUARANTINE": "-1d"], "HANDLES_QUARANTINE"), (["HANDLES_HOLD": "500ms"], "HANDLES_HOLD"),
        (["HANDLES_TYPING_PAUSE": "6s"], "from 0.0 seconds to 5.0 seconds"),
        (["HANDLES_READ_URL": "host=replica password=0123456789abcdef"], "DATABASE_URL, which is not set"),
        (["HANDLES_ADMIN_KEY": "0123456789abcdef", "HANDLES_ADMIN_KEY_FILE": "/x"], "keep one of them"),
    ])
    func refuseASettingThatIsWrong(_ variables: [String: String], _ words: String) async throws {
        let result = try await Program.run(["serve"], in: folder, variables)
        #expect(result.status == 64)
        #expect(result.words.contains(words))
        #expect(result.words.split(separator: "\n").count == 1)
        #expect(!result.words.contains("0123456789abcdef"))
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func stopWhenInterruptedWhileTheyWaitForInput(_ signal: Int32) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Program.path)
        process.arguments = ["validate", "-"]
        process.standardInput = Pipe()
        let words = Pipe()
        process.standardError = words
        try process.run()
        while !minds(signal, process.processIdentifier) { try await Task.sleep(for: .milliseconds(20)) }
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 130)
        #expect(try words.fileHandleForReading.readToEnd() == Data("handles: interrupted\n".utf8))
    }

    /// Whether a process has done something about a signal, so that it is no longer ended by it at once.
    private func minds(_ signal: Int32, _ process: pid_t) -> Bool {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        return status.split(separator: "\n").contains { line in
            guard line.hasPrefix("SigIgn:") || line.hasPrefix("SigCgt:") else { return false }
            let mask = UInt64(line.dropFirst("SigIgn:".count).trimmingCharacters(in: .whitespaces), radix: 16) ?? 0
            return mask & (1 << UInt64(signal - 1)) != 0
        }
    }

    @Test func stopQuietlyWhenTheReaderGoesAway() async throws {
        let names = (0..<200_000).map { "x\($0 % 7)" }.joined(separator: "\n")
        let file = "\(folder)/many.txt"
        try names.write(toFile: file, atomically: true, encoding: .utf8)
        let shell = "'\(Program.path)' validate '\(file)' | head -1"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", shell]
        let words = Pipe()
        process.standardError = words
        process.standardOutput = Pipe()
        try process.run()
        process.waitUntilExit()
        #expect(try words.fileHandleForReading.readToEnd() ?? Data() == Data())
    }

    @Test func renameAndVerifyAndTellTheHistory() async throws {
        let run = command(try await TestCluster.shared.freshDatabase())
        #expect(try await run("claim", "johndoe", "--for", "user-1").status == 0)
        let full = try await run("claim", "janedoe", "--for", "user-1")
        #expect(full.status == 1 && full.words.contains("An owner has one handle"))
        #expect(try await run("rename", "johndoe", "JaneDoe", "--owner", "user-1", "--reason", "married").status == 0)
        #expect(try await run("rename", "johndoe", "other", "--owner", "user-2").status == 1)
        let shown = try await run("show", "johndoe")
        #expect(shown.output.contains("quarantined") && shown.output.contains("married"))
        #expect(shown.output.contains("claimed → quarantined") && shown.output.contains("cli:"))
        let verified = try await run("verify")
        #expect(verified.status == 0 && verified.words == "3 events checked, all is well\n")
        #expect(try await run("migrate", "--distributed").status == (TestCluster.shared.isDistributed ? 0 : 69))
    }

    @Test func reserveReportsWhatLooksLikeIt() async throws {
        let run = command(try await TestCluster.shared.freshDatabase())
        _ = try await run("claim", "acrne", "--for", "user-1")
        let reserved = try await run("reserve", "acme", "--reason", "trademark")
        #expect(reserved.status == 0 && reserved.output.contains("acrne"))
        #expect(try await run("reserve", "4cme", "--reason", "trademark").status == 1)
        #expect(try await run("reserve", "4cme", "--reason", "trademark", "--allow-lookalike").status == 0)
        #expect(try await run("claim", "acm3", "--for", "user-2", "--allow-lookalike").status == 64)
        #expect(
            try await run("claim", "acm3", "--for", "user-2", "--allow-lookalike", "--reason", "checked").status == 0)
    }
}
