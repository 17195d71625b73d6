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

    private func drill(
        _ arguments: [String] = [], on database: String, _ variables: [String: String] = [:]
    ) async throws -> Program.Result {
        try await run([Self.drill] + arguments, variables.merging(["DATABASE_URL": database]) { $1 })
    }

    /// A folder of PostgreSQL's programs, some of them replaced by scripts. In a script, `$real` is the program's path.
    private func programs(_ scripts: [String: String]) throws -> String {
        let programs = "\(folder)/programs"
        try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: Self.programs) where scripts[name] == nil {
            try FileManager.default.createSymbolicLink(
                atPath: "\(programs)/\(name)", withDestinationPath: "\(Self.programs)/\(name)")
        }
        for (name, script) in scripts { try write(script, to: "\(programs)/\(name)", real: "\(Self.programs)/\(name)") }
        chmod(folder, 0o755)
        return programs
    }

    private func write(_ script: String, to path: String, real: String) throws {
        try "#!/bin/sh\nreal='\(real)'\n\(script)\n".write(toFile: path, atomically: true, encoding: .utf8)
        chmod(path, 0o755)
    }

    /// Variables with which the programs of the drill note the arguments of all processes in the file `arguments`.
    private func notingArguments() throws -> [String: String] {
        let script = "cat /proc/[0-9]*/cmdline >> '\(folder)/arguments' 2> /dev/null\nexec \"$real\" \"$@\""
        var scripts = ["psql": script, "pg_dump": script, "pg_restore": script, "pg_basebackup": script]
        // The server's user can read the environment of this program.
        scripts["initdb"] = #"[ -z "$PGPASSWORD$DATABASE_URL" ] && exec "$real" "$@""#
        try write(script, to: "\(folder)/handles", real: Program.path)
        return ["PGBIN": try programs(scripts), "HANDLES": "\(folder)/handles"]
    }

    /// The arguments of all processes that ``notingArguments()`` has noted.
    private func arguments() throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: "\(folder)/arguments")), as: UTF8.self)
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
        let result = try await drill(on: database)
        #expect(result.status == 0, "\(result.output) \(result.words)")
        #expect(result.output.contains("the same, byte for byte\n"))
        #expect(result.output.contains("The backup is good. It took "))
        // An older backup: the registry has one more event by now.
        let file = try await dump(database)
        let claimed = try await Program.run(
            ["claim", "newcomer", "--for", "u9"], in: folder, ["DATABASE_URL": database])
        #expect(claimed.status == 0)
        let old = try await drill(["--dump", file], on: database)
        #expect(old.status == 0, "\(old.output) \(old.words)")
        #expect(old.output.contains("the registry has 1 events that are younger than the backup"))
    }

    /// `--base` copies a whole server, so this test needs a server of its own.
    @Test(.timeLimit(.minutes(5))) func drillRestoresABaseBackupOfTheServer() async throws {
        try await PreparedCluster.copy(to: "\(folder)/server")
        try await EmbeddedPostgres(folder: "\(folder)/server").use(as: .command) { database in
            _ = try await registry(in: database)
            let result = try await drill(
                ["--base"], on: database.asSuperuser + " password='\(Self.secret)'", notingArguments())
            #expect(result.status == 0, "\(result.output) \(result.words)")
            #expect(result.output.contains("the same, byte for byte\n"))
            #expect(try arguments().contains("pg_basebackup") && !arguments().contains(Self.secret))
        }
    }

    @Test(.timeLimit(.minutes(5))) func drillFailsWhenTheBackupIsNotOfTheRegistry() async throws {
        let database = try await registry()
        // Changed with plain SQL for the backup, and changed back afterwards.
        try await execute("UPDATE names SET owner = 'thief' WHERE handle = 'janerowe'", on: database)
        let tampered = try await dump(database)
        try await execute("UPDATE names SET owner = 'user-2' WHERE handle = 'janerowe'", on: database)
        // A complete backup of another registry.
        let foreign = try await dump(try await registry())
        let torn = "\(folder)/torn.dump"
        let bytes = try Data(contentsOf: URL(fileURLWithPath: foreign))
        try bytes.prefix(bytes.count * 2 / 3).write(to: URL(fileURLWithPath: torn))
        for (file, words) in [
            (tampered, "is not whole: janerowe"), (foreign, "events are not the registry's"),
            (torn, "can't be restored"),
        ] {
            let result = try await drill(["--dump", file], on: database)
            #expect(result.status == 1 && result.words.contains(words), "\(words): \(result)")
            #expect(!result.output.contains("good"))
        }
    }

    /// This restore loses every row about one name, so that what remains is consistent.
    @Test(.timeLimit(.minutes(5))) func drillFailsWhenTheRestoreLosesAName() async throws {
        let database = try await registry()
        let programs = try programs([
            "pg_restore": """
            "$real" "$@" || exit
            exec \(Self.programs)/psql -q -d "$2" -c "DELETE FROM handle_events WHERE handle = 'acme'" \
                -c "DELETE FROM names WHERE handle = 'acme'"
            """
        ])
        let result = try await drill(on: database, ["PGBIN": programs])
        #expect(result.status == 1 && result.words.contains("the restored registry differs"), "\(result)")
    }

    /// A password without characters that need an escape.
    private static let secret = "secret?of#the+database"

    /// Any user can read the arguments of all processes. The server of the tests asks for no password.
    @Test(.timeLimit(.minutes(5))) func passwordsAreNotInTheArgumentsOfPrograms() async throws {
        let database = try await registry()
        func value(_ name: String) throws -> String {
            try database.firstMatch(of: Regex("\(name)='?([^' ]*)"))?.output[1].substring.map(String.init) ?? ""
        }
        let host = try value("host").replacing("/", with: "%2F")
        let place = try "/\(value("dbname"))?host=\(host)&port=\(value("port"))"
        let variables = try notingArguments()
        for (number, conninfo) in [
            database + " password = '\(Self.secret)' application_name=drill",
            database + " password=\(Self.secret)",
            "postgresql://handles:\(Self.secret)@\(place)",
            "postgresql://handles@\(place)&password=\(Self.secret)&application_name=drill",
        ].enumerated() {
            let result = try await drill(on: conninfo, variables)
            #expect(result.status == 0, "\(number): \(result.output) \(result.words)")
            #expect(try arguments().contains("pg_dump") && !arguments().contains("secret"), "\(number)")
        }
    }

    @Test func secretsThatWouldBeArgumentsOfProgramsAreRefused() async throws {
        for (arguments, database) in [
            (["postgresql://h/d"], "host=/nonexistent"), ([], "sslpassword=x host=/nonexistent"),
            ([], "postgresql://h/d?sslpassword=x"), ([], "postgresql://h/d?p%61ssword=x"),
        ] {
            let result = try await drill(arguments, on: database)
            #expect(result.status == 64 && result.words.contains("DATABASE_URL"), "\(database): \(result)")
        }
    }

    /// While the drill restores, another user tries to read its export and its backup.
    @Test(.enabled(if: getuid() == 0, "only root can become another user"), .timeLimit(.minutes(5)))
    func exportsAndBackupsAreClosedToOtherUsers() async throws {
        let programs = try programs([
            "pg_restore": """
            setpriv --reuid=nobody --regid=nogroup --clear-groups -- \
                cat '\(folder)'/handles-drill-*/before '\(folder)'/handles-drill-*/registry.dump > '\(folder)/read' 2>&1
            exec "$real" "$@"
            """
        ])
        let result = try await drill(on: registry(), ["PGBIN": programs, "TMPDIR": folder])
        #expect(result.status == 0, "\(result)")
        let read = try String(contentsOfFile: "\(folder)/read", encoding: .isoLatin1)
        #expect(read.components(separatedBy: "Permission denied").count == 3 && !read.contains("janerowe"), "\(read)")
    }

    /// The data folder belongs to the user `postgres`, which puts links to a file of root into it.
    @Test(
        .enabled(if: getuid() == 0, "only root has files that the server's user can't read"), .timeLimit(.minutes(5)),
        arguments: [["pg_hba.conf", "pg_ident.conf"], ["drill.log"]])
    func drillFollowsNoLinkOfTheServersUser(_ names: [String]) async throws {
        let file = "\(folder)/of-root"
        try "only for root\n".write(toFile: file, atomically: true, encoding: .utf8)
        chmod(file, 0o600)
        let programs = try programs([
            "initdb": """
            "$real" "$@" || exit
            for name in \(names.joined(separator: " ")); do ln -sf '\(file)' "$2/$name"; done
            """
        ])
        let result = try await drill(on: registry(), ["PGBIN": programs])
        #expect(result.status == 1 && result.words.contains("FAILED"), "\(result)")
        #expect(!(result.words + result.output).contains("only for root"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "only for root\n")
    }

    @Test func drillReportsWhyItCannotStart() async throws {
        let result = try await drill(on: "host=/nonexistent dbname=handles")
        #expect(result.status == 1 && result.words.contains("the database can't be used"), "\(result)")
        #expect(try await drill(on: "").status == 64)
        #expect(try await drill(["--what"], on: "").status == 64)
        #expect(try await drill(["--help"], on: "").output.contains("handles-drill --base"))
    }
}
