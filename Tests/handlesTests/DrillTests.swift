import EmbeddedPostgres
import Foundation
import TestService
import TestSupport
import Testing

/// `handles-drill` restores a backup and compares it with the registry.
@Suite(
    .serialized,
    .disabled(if: TestCluster.shared.isDistributed, "a backup of a Citus cluster is each node's own"))
struct DrillTests {
    private let folder = TemporaryFolder.make("drill")
    private static let drill = Repository.root.appending(path: "Packaging/drill").path
    private static let programs: String = {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return "\(root)/\(versions.compactMap(Int.init).max() ?? 0)/bin"
    }()

    private func run(_ command: [String], _ variables: [String: String] = [:]) async throws -> Program.Result {
        try await Program.run(
            program: "/usr/bin/env", command, in: folder,
            variables.merging(["HANDLES": Program.path]) { first, _ in first })
    }

    private func drill(_ arguments: [String], _ variables: [String: String] = [:]) async throws -> Program.Result {
        try await run([Self.drill] + arguments, variables)
    }

    /// A registry with names of all kinds: claimed, reserved, quarantined, renamed.
    private func registry(in database: String? = nil) async throws -> String {
        let database = if let database { database } else { try await TestCluster.shared.freshDatabase() }
        for arguments in [
            ["claim", "johndoe", "--for", "user-1"], ["claim", "JaneRoe", "--for", "user-2"],
            ["reserve", "acme", "acme_labs", "--reason", #"our "own" brand"#],
            ["release", "johndoe", "--reason", "impersonation", "--yes"],
            ["rename", "janeroe", "JaneRowe", "--owner", "user-2", "--reason", "their wish", "--yes"],
        ] {
            let result = try await Program.run(arguments, in: folder, ["DATABASE_URL": database])
            #expect(result.status == 0, "\(result.words)")
        }
        return database
    }

    private func dump(_ database: String) async throws -> String {
        let file = "\(folder)/\(UInt32.random(in: 0 ... .max)).dump"
        let result = try await run(["\(Self.programs)/pg_dump", "-d", database, "-Fc", "-f", file])
        #expect(result.status == 0, "\(result.words)")
        return file
    }

    @Test(.timeLimit(.minutes(5))) func drillRestoresABackupAndReportsThatItIsGood() async throws {
        let database = try await registry()
        let result = try await drill([database])
        #expect(result.status == 0, "\(result.output) \(result.words)")
        #expect(result.output.contains("the same, byte for byte\n"))
        #expect(result.output.contains("The backup is good. It took "))
        // An older backup: the registry has one more event by now. The connection string comes from the environment.
        let file = try await dump(database)
        let claimed = try await Program.run(
            ["claim", "newcomer", "--for", "u9"], in: folder, ["DATABASE_URL": database])
        #expect(claimed.status == 0)
        let old = try await drill(["--dump", file], ["DATABASE_URL": database])
        #expect(old.status == 0, "\(old.output) \(old.words)")
        #expect(old.output.contains("the registry has 1 events that are younger than the backup"))
    }

    /// `--base` copies a whole server, so this test needs a server of its own.
    @Test(.timeLimit(.minutes(5))) func drillRestoresABaseBackupOfTheServer() async throws {
        try await PreparedCluster.copy(to: "\(folder)/server")
        try await EmbeddedPostgres(folder: "\(folder)/server").use(as: .command) { database in
            _ = try await registry(in: database)
            let result = try await drill(["--base", database.asSuperuser])
            #expect(result.status == 0, "\(result.output) \(result.words)")
            #expect(result.output.contains("the same, byte for byte\n"))
        }
    }

    @Test(.timeLimit(.minutes(5))) func drillFailsWhenTheBackupIsNotOfTheRegistry() async throws {
        let database = try await registry()
        // Changed with plain SQL for the backup, and changed back afterwards.
        try await execute("UPDATE handles SET owner = 'thief' WHERE handle = 'janerowe'", on: database)
        let tampered = try await dump(database)
        try await execute("UPDATE handles SET owner = 'user-2' WHERE handle = 'janerowe'", on: database)
        // A complete backup of another registry.
        let foreign = try await dump(try await registry())
        let torn = "\(folder)/torn.dump"
        let bytes = try Data(contentsOf: URL(fileURLWithPath: foreign))
        try bytes.prefix(bytes.count * 2 / 3).write(to: URL(fileURLWithPath: torn))
        for (file, words) in [
            (tampered, "is not whole: janerowe"), (foreign, "events are not the registry's"),
            (torn, "can't be restored"),
        ] {
            let result = try await drill(["--dump", file, database])
            #expect(result.status == 1 && result.words.contains(words), "\(words): \(result)")
            #expect(!result.output.contains("good"))
        }
    }

    /// This restore loses every row about one name, so that what remains is consistent.
    @Test(.timeLimit(.minutes(5))) func drillFailsWhenTheRestoreLosesAName() async throws {
        let database = try await registry()
        let programs = "\(folder)/programs"
        try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: Self.programs) where name != "pg_restore" {
            try FileManager.default.createSymbolicLink(
                atPath: "\(programs)/\(name)", withDestinationPath: "\(Self.programs)/\(name)")
        }
        try """
        #!/bin/sh
        \(Self.programs)/pg_restore "$@" || exit
        exec \(Self.programs)/psql -q -d "$2" -c "DELETE FROM handle_events WHERE handle = 'acme'" \
            -c "DELETE FROM handles WHERE handle = 'acme'" -c "DELETE FROM lookalike_keys WHERE protector = 'acme'"
        """.write(toFile: "\(programs)/pg_restore", atomically: true, encoding: .utf8)
        chmod("\(programs)/pg_restore", 0o755)
        chmod(folder, 0o755)
        let result = try await drill([database], ["PGBIN": programs])
        #expect(result.status == 1 && result.words.contains("the restored registry differs"), "\(result)")
    }

    @Test func drillReportsWhyItCannotStart() async throws {
        let result = try await drill(["host=/nonexistent dbname=handles"])
        #expect(result.status == 1 && result.words.contains("the database can't be used"), "\(result)")
        #expect(try await drill([]).status == 64)
        #expect(try await drill(["--what"]).status == 64)
        #expect(try await drill(["--help"]).output.contains("handles-drill --base"))
    }
}
