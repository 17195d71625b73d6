import Foundation
import HandleRegistry
import HandleRules
import TestService
import TestSupport
import Testing

/// Every command that can't use its database prints one clear line and exits with status 69.
@Suite struct DatabaseFaultTests {
    private let folder = TemporaryFolder.make("database-faults")

    /// Valid arguments of every command, and whether the command writes.
    private static let commands: [(arguments: [String], writes: Bool)] = [
        (["serve", "--port", "0"], true), (["migrate"], false), (["check", "johndoe"], false),
        (["suggest", "johndoe"], false), (["validate", "names.txt", "--registry"], false),
        (["reserve", "acme", "--reason", "x"], true),
        (["assign", "kept_one", "--to", "user-2", "--reason", "x"], true),
        (["claim", "janedoe", "--for", "user-2"], true), (["release", "johndoe", "--yes"], true),
        (["rename", "johndoe", "johnny", "--owner", "user-1", "--yes"], true), (["show", "johndoe"], false),
        (["lock", "user-1", "--reason", "x"], true), (["unlock", "user-1"], false),
        (["unforward", "johndoe"], true),
        (["push", "--to", "http://127.0.0.1:9/hook", "--secret-file", "hook.secret"], true),
        (["list"], false), (["export"], false), (["import", "archive.ndjson"], true), (["verify"], false),
        (["words", "list"], false), (["words", "add", "zork", "--category", "x"], true),
        (["words", "remove", "blog"], true), (["words", "import", "words.tsv", "--source", "list"], true),
        (["words", "test", "johndoe"], false),
        (["keys", "create", "--name", "x", "--scope", "read"], true),
        (["keys", "list"], false), (["keys", "revoke", "abcdefgh"], true), (["doctor"], false),
    ]

    @Test func databaseFaultsAreTestedWithEveryCommand() {
        // These two use no database.
        for command in AllCommands.all where !["version", "settings"].contains(command.name) {
            #expect(Self.commands.contains { $0.arguments.starts(with: command.path) }, "\(command.name)")
        }
    }

    private func run(_ arguments: [String], on database: String) async throws -> Program.Result {
        try writeFiles()
        return try await Program.run(arguments, in: folder, ["DATABASE_URL": database])
    }

    /// Writes the files that the commands read.
    private func writeFiles() throws {
        // The checksum of the two lines before the archive's end line.
        let sum = "b7efd7ea92404faef1c7e4e8522b479532319957e3e73a2fc9327eb4abaf349e"
        for (name, text) in [
            ("names.txt", "johndoe\n"), ("hook.secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n"),
            ("words.tsv", "zork\tx\texact\tnone\n"),
            (
                "archive.ndjson",
                #"{"kind":"registry","format":1,"history":0}"# + "\n"
                    + #"{"kind":"name","handle":"abc","display":"abc","state":"claimed","owner":"u","since":"2026-01-01T00:00:00Z"}"#
                    + "\n" + #"{"kind":"end","words":0,"locks":0,"names":1,"events":0,"sha256":"\#(sum)"}"# + "\n"
            ),
        ] { try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8) }
    }

    private func isOneClearLine(_ result: Program.Result, _ words: String) -> Bool {
        let lines = result.words.split(separator: "\n").filter { $0.hasPrefix("handles: ") }
        return result.status == 69 && lines.count == 1 && lines[0].contains(words) && !result.words.contains("Fatal")
            && !result.words.contains("password=")
    }

    /// Commands that may be the first ones of a new registry.
    private static let founders = [
        ["serve"], ["migrate"], ["reserve"], ["claim"], ["import"], ["words", "add"], ["words", "remove"],
        ["words", "import"],
        ["keys", "create"],
    ]

    private static let withoutRegistry =
        commands.map(\.arguments).filter { command in !founders.contains { command.starts(with: $0) } } + [
            ["reserve", "acme", "--reason", "x", "--dry-run"],
            ["words", "add", "zork", "--category", "x", "--dry-run"],
            ["claim", "--dry-run", "--file", "names.txt", "--owner-column", "1"],
            ["words", "remove", "blog", "--dry-run"],
            ["words", "import", "words.tsv", "--source", "list", "--dry-run"],
            ["import", "archive.ndjson", "--dry-run"],
            ["release", "johndoe", "--dry-run"], ["rename", "johndoe", "johnny", "--owner", "user-1", "--dry-run"],
            ["assign", "acme", "--to", "user-1", "--reason", "x", "--dry-run"],
        ]

    /// In the wrong folder a command must not tell of an empty registry, and leave one there.
    @Test(arguments: withoutRegistry)
    func commandsThatNeedARegistryMakeNone(_ arguments: [String]) async throws {
        try writeFiles()
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        let result = try await Program.run(arguments, in: folder)
        #expect(result.status == 69)
        #expect(result.words.hasPrefix("handles: no registry in \(folder)/.handles: "), "\(result)")
        #expect(result.output.isEmpty || arguments == ["doctor"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == files.sorted())
        let elsewhere = try await Program.run(arguments + ["--data", "\(folder)/names.txt/x"], in: folder)
        #expect(elsewhere.status == 69 && elsewhere.words.hasPrefix("handles: no registry in \(folder)/names.txt/x: "))
        // The environment may name another registry than the command line.
        let chosen = try await Program.run(
            ["show", "johndoe", "--data", "none"], in: folder, ["DATABASE_URL": "host=/nonexistent"])
        #expect(chosen.status == 69 && chosen.words.hasPrefix("handles: no registry in \(folder)/none: "), "\(chosen)")
    }

    @Test func commandThatMakesARegistrySaysSoOnce() async throws {
        let first = try await Program.run(["reserve", "acme", "--reason", "ours"], in: folder)
        #expect(first.status == 0)
        let said = "there was no registry here: made one, with a private PostgreSQL, in \(folder)/.handles\n"
        #expect(first.words == said + "1 reserved, 0 already reserved, 0 refused\n")
        let second = try await Program.run(["reserve", "brandy", "--reason", "ours"], in: folder)
        #expect(second.words == "1 reserved, 0 already reserved, 0 refused\n")
        #expect(try await Program.run(["show", "acme"], in: folder).status == 0)
    }

    @Test(arguments: commands.indices) func commandsExitWith69WhenTheDatabaseIsDown(_ index: Int) async throws {
        let (arguments, _) = Self.commands[index]
        // `serve` waits for its database: other tests cover that.
        guard arguments[0] != "serve" else { return }
        let result = try await run(arguments, on: "host=/nonexistent password=very-secret")
        #expect(isOneClearLine(result, "the database can't be used"), "\(arguments): \(result)")
        #expect(!"\(result)".contains("very-secret"))
    }

    /// The command gives up after `HANDLES_DATABASE_TIME`, which is 6 s here and 5 s by default.
    @Test func commandsGiveUpOnASilentDatabaseAfterTheConfiguredTime() async throws {
        let proxy = try ChaosProxy(to: await TestCluster.shared.freshDatabase())
        proxy.set(.blackHole)
        let start = ContinuousClock.now
        let result = try await Program.run(
            ["check", "johndoe"], in: folder,
            ["DATABASE_URL": proxy.conninfo("user=handles dbname=x"), "HANDLES_DATABASE_TIME": "6s"])
        #expect(isOneClearLine(result, "the database can't be used"), "\(result)")
        #expect(ContinuousClock.now - start > .seconds(5.5))
    }

    @Test(arguments: commands.indices) func commandsRefuseADatabaseWithANewerSchema(_ index: Int) async throws {
        let database = try await Self.future.value
        let result = try await run(Self.commands[index].arguments, on: database)
        #expect(isOneClearLine(result, "use a newer program"), "\(Self.commands[index].arguments): \(result)")
    }

    /// Two read-only databases, so that no test changes them: one with two names and one without the schema.
    private static let readOnly = Task {
        let full = try await TestCluster.shared.freshDatabase()
        let registry = try Registry(pool: patientPool(full))
        _ = try await registry.claim("johndoe", for: try #require(Owner("user-1")))
        _ = try await registry.reserve("kept_one", Reservation(reason: "x"))
        try await registry.keepFeed(for: .seconds(3600))
        let empty = try await TestCluster.shared.emptyDatabase()
        for database in [full, empty] {
            let name = try #require(database.split(separator: "dbname=").last.map(String.init))
            try await execute("ALTER DATABASE \(name) SET default_transaction_read_only = on", on: database)
        }
        return (full, empty)
    }

    /// A database with a newer schema than this program knows. The program changes nothing in it.
    private static let future = Task {
        let database = try await TestCluster.shared.freshDatabase()
        try await execute(
            "INSERT INTO schema_migrations (version, name, applied_at) VALUES (999, 'x', now())", on: database)
        return database
    }

    @Test(arguments: commands.indices)
    func writingCommandsFailOnAReadOnlyDatabaseAndOthersWork(_ index: Int) async throws {
        let (arguments, writes) = Self.commands[index]
        guard arguments[0] != "serve" else { return }
        let (database, empty) = try await Self.readOnly.value
        let result = try await run(arguments, on: database)
        if writes {
            #expect(isOneClearLine(result, "is read-only or a standby"), "\(arguments): \(result)")
        } else {
            // Commands that only read work on a standby too. Status 1 is no fault: a name is taken or a key is unknown.
            #expect([0, 1].contains(result.status), "\(arguments): \(result)")
        }
        // Without the schema no command works.
        let refused = try await run(arguments, on: empty)
        guard arguments[0] != "doctor" else { return #expect(refused.status == 1) }
        #expect(isOneClearLine(refused, "is read-only or a standby"), "\(arguments): \(refused)")
    }
}
