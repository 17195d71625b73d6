import Foundation
import Postgres
import TestSupport
import Testing

@testable import EmbeddedPostgres

private struct Count: Statement {
    static let sql = "SELECT count(*) FROM things"
    func bind(to parameters: inout Parameters) {}
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}

/// Runs one script on a database, and returns how many things there are.
private func run(_ script: String, on conninfo: String) async throws -> Int64 {
    let deadline = ContinuousClock.now + .seconds(120)
    let connection = try await Connection.open(conninfo, until: deadline)
    try await connection.run(script: script, until: deadline)
    let count = try await connection.run(Count(), until: deadline).first ?? 0
    await connection.close()
    return count
}

private func postmaster(_ folder: String) -> pid_t? {
    TemporaryFolder.postmaster("\(folder)/postgres/postmaster.pid")
}

private func isListening(_ folder: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(folder)/postgres/.s.PGSQL.5432")
}

/// A data folder for a test of anything but the making of a cluster.
private func preparedFolder() async throws -> String {
    let folder = TemporaryFolder.make()
    try await PreparedCluster.copy(to: folder)
    return folder
}

@Suite(.serialized) struct EmbeddedPostgresTests {
    @Test(arguments: ["plain", "with a space", "qu'ote\\s", String(repeating: "long", count: 40)])
    func keepsItsDataFromOneUseToTheNext(_ name: String) async throws {
        let folder = TemporaryFolder.make(name) + "/data"
        let postgres = try EmbeddedPostgres(folder: folder, settings: ["fsync=off"])
        try await postgres.use(as: .service) { conninfo in
            _ = try await run("CREATE TABLE things (n int); INSERT INTO things VALUES (1)", on: conninfo)
        }
        #expect(!isListening(folder))
        try await postgres.use(as: .service) { conninfo in
            let count = try await run("INSERT INTO things VALUES (2)", on: conninfo)
            #expect(count == 2)
        }
        #expect(!isListening(folder))
    }

    @Test func isStoppedByTheLastOfItsUsers() async throws {
        let folder = try await preparedFolder()
        let postgres = try EmbeddedPostgres(folder: folder)
        try await postgres.use(as: .service) { conninfo in
            _ = try await run("CREATE TABLE things (n int)", on: conninfo)
            // A command beside the service: it uses the same server and leaves it running.
            try await EmbeddedPostgres(folder: folder).use(as: .command) { conninfo in
                _ = try await run("INSERT INTO things VALUES (1)", on: conninfo)
            }
            let count = try await run("SELECT", on: conninfo)
            #expect(count == 1)
        }
        #expect(!isListening(folder))
    }

    @Test func isSharedByCommandsThatComeAndGo() async throws {
        let folder = try await preparedFolder()
        let postgres = try EmbeddedPostgres(folder: folder)
        try await postgres.use(as: .command) { _ = try await run("CREATE TABLE things (n int)", on: $0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await EmbeddedPostgres(folder: folder).use(as: .command) { conninfo in
                        _ = try await run("INSERT INTO things VALUES (1)", on: conninfo)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(!isListening(folder))
        try await postgres.use(as: .command) { conninfo in
            let count = try await run("SELECT", on: conninfo)
            #expect(count == 8)
        }
    }

    @Test func hasOneServiceAtMost() async throws {
        let folder = try await preparedFolder()
        let postgres = try EmbeddedPostgres(folder: folder)
        let second = try EmbeddedPostgres(folder: folder)
        try await postgres.use(as: .service) { _ -> Void in
            await #expect {
                try await second.use(as: .service) { _ in }
            } throws: { error in
                guard let error = error as? EmbeddedPostgresError else { return false }
                return error.code == .inUse && error.description.contains("\(getpid())")
            }
        }
    }

    @Test func isTakenUpAgainAfterItsUserDied() async throws {
        let folder = try await preparedFolder()
        let postgres = try EmbeddedPostgres(folder: folder)
        // Nobody stops the server: as when its user is killed.
        let user = try FileLock(path: "\(folder)/use.lock")
        #expect(user.tryLock(.shared))
        try await postgres.use(as: .service) { _ = try await run("CREATE TABLE things (n int)", on: $0) }
        #expect(isListening(folder))
        let before = postmaster(folder)
        user.unlock()
        try await postgres.use(as: .service) { conninfo in
            #expect(postmaster(folder) == before)
            let count = try await run("SELECT", on: conninfo)
            #expect(count == 0)
        }
        #expect(!isListening(folder))
    }

    @Test func recoversAfterTheServerWasKilled() async throws {
        let folder = try await preparedFolder()
        let postgres = try EmbeddedPostgres(folder: folder)
        // Its server is gone already when it is to be stopped, which is a fault, but not of the next user.
        try? await postgres.use(as: .service) { conninfo in
            _ = try await run("CREATE TABLE things (n int); INSERT INTO things VALUES (1)", on: conninfo)
            kill(try #require(postmaster(folder)), SIGKILL)
        }
        try await postgres.use(as: .service) { conninfo in
            let count = try await run("SELECT", on: conninfo)
            #expect(count == 1)
        }
    }

    @Test(.timeLimit(.minutes(5))) func leavesNoServerBehindWhenItsStartIsCancelled() async throws {
        let folder = try await preparedFolder()
        let postgres = try EmbeddedPostgres(folder: folder)
        for pause in [0, 1, 2, 5, 10, 20, 50] {
            let using = Task { try await postgres.use(as: .command) { _ in try await Task.sleep(for: .seconds(600)) } }
            try await eventually("the server starts") { postmaster(folder) != nil }
            try await Task.sleep(for: .milliseconds(pause))
            using.cancel()
            await #expect(throws: CancellationError.self) { try await using.value }
            #expect(postmaster(folder) == nil && !isListening(folder))
        }
    }

    /// After a crash a start is tried again for a while, but not for somebody who has given up.
    @Test(.timeLimit(.minutes(5))) func isNotStartedAgainOnceItsStartIsCancelled() async throws {
        let folder = try await preparedFolder()
        try "1\n".write(toFile: "\(folder)/postgres/postmaster.pid", atomically: true, encoding: .utf8)
        func refusals() -> Int {
            let log = (try? String(contentsOfFile: "\(folder)/postgres/server.log", encoding: .utf8)) ?? ""
            return log.components(separatedBy: "no_such_setting").count - 1
        }
        let broken = try EmbeddedPostgres(folder: folder, settings: ["no_such_setting=1"])
        let using = Task { try await broken.use(as: .command) { _ in } }
        try await eventually("the server refuses to start") { refusals() > 0 }
        using.cancel()
        let before = refusals()
        await #expect(throws: CancellationError.self) { try await using.value }
        #expect(refusals() <= before + 1)
    }

    @Test func makesTheClusterAnewAfterAnInterruptedStart() async throws {
        let folder = TemporaryFolder.make()
        try FileManager.default.createDirectory(
            atPath: "\(folder)/postgres.new/base", withIntermediateDirectories: true)
        try await EmbeddedPostgres(folder: folder, settings: ["fsync=off"]).use(as: .service) { conninfo in
            let count = try await run("CREATE TABLE things (n int)", on: conninfo)
            #expect(count == 0)
        }
    }

    private func mode(_ path: String) throws -> Int {
        var status = stat()
        guard stat(path, &status) == 0 else { throw CocoaError(.fileNoSuchFile) }
        return Int(status.st_mode & 0o777)
    }

    @Test func letsNobodyElseIntoItsFolder() async throws {
        let new = TemporaryFolder.make() + "/new"
        _ = try EmbeddedPostgres(folder: new)
        #expect(try mode(new) == 0o700)
        // As versions before made it.
        let old = try await preparedFolder()
        #expect(chmod(old, 0o755) == 0)
        for name in ["service.lock", "start.lock", "use.lock"] {
            try "".write(toFile: "\(old)/\(name)", atomically: true, encoding: .utf8)
            #expect(chmod("\(old)/\(name)", 0o644) == 0)
        }
        try await EmbeddedPostgres(folder: old).use(as: .service) { _ in }
        #expect(try mode(old) == 0o700)
        for name in ["service.lock", "start.lock", "use.lock"] { #expect(try mode("\(old)/\(name)") == 0o600) }
    }

    /// It may be somebody's home.
    @Test func leavesAFolderWithOtherFilesAsItIs() async throws {
        let folder = TemporaryFolder.make()
        #expect(chmod(folder, 0o755) == 0)
        try "".write(toFile: "\(folder)/letter", atomically: true, encoding: .utf8)
        #expect { try EmbeddedPostgres(folder: folder) } throws: { error in
            let error = error as? EmbeddedPostgresError
            return error?.code == .noAccess && error?.description.contains("chmod 700") == true
        }
        #expect(try mode(folder) == 0o755)
        #expect(chmod(folder, 0o700) == 0)
        _ = try EmbeddedPostgres(folder: folder)
    }

    @Test(.enabled(if: getuid() == 0, "only root can give a folder away"))
    func refusesAFolderOfSomebodyElse() async throws {
        let folder = TemporaryFolder.make()
        #expect(chown(folder, 65534, 65534) == 0)
        #expect { try EmbeddedPostgres(folder: folder) } throws: { error in
            let error = error as? EmbeddedPostgresError
            return error?.code == .noAccess && error?.description.contains("belongs to the user") == true
        }
    }

    @Test(.timeLimit(.minutes(5))) func waitsForALockNoLongerThanItShould() async throws {
        let folder = try await preparedFolder()
        let path = "\(folder)/start.lock"
        let other = Process()
        other.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
        other.arguments = ["--exclusive", "--no-fork", path, "sleep", "600"]
        try other.run()
        defer { other.terminate() }
        let lock = try FileLock(path: path)
        try await eventually("somebody else has it") {
            let isFree = lock.tryLock(.exclusive)
            if isFree { lock.unlock() }
            return !isFree
        }
        await #expect {
            try await lock.lock(.exclusive, within: .milliseconds(50))
        } throws: { error in
            let error = error as? EmbeddedPostgresError
            return error?.code == .inUse && error?.description.contains("process \(other.processIdentifier)") == true
        }
        // Whoever has given up does not wait for it either.
        let using = Task { try await EmbeddedPostgres(folder: folder).use(as: .command) { _ in } }
        using.cancel()
        await #expect(throws: CancellationError.self) { try await using.value }
    }

    /// Whether a login is refused, as a role and by a user of the system.
    private func isRefused(_ role: String, at folder: String, as user: [String] = []) async throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            user + ["psql", "-X", "-d", "host='\(folder)/postgres' user=\(role) dbname=handles", "-c", ""]
        process.standardError = Pipe()
        try process.run()
        return await process.ended() != 0
    }

    /// Data as versions before made them: one role that is the superuser, and everybody trusted.
    private func folderOfVersionsBefore() async throws -> String {
        let folder = TemporaryFolder.make() + "/data"
        #expect(mkdir(folder, 0o755) == 0 && mkdir("\(folder)/postgres", 0o700) == 0)
        let user = try ServerUser.current()
        if let user { chown("\(folder)/postgres", user.userID, user.groupID) }
        let cluster = Cluster(
            folder: "\(folder)/postgres", programs: try .find(version: nil), user: user, settings: [])
        try await cluster.run(
            "initdb", ["-D", cluster.folderForPrograms, "-U", "handles", "-A", "trust", "-E", "UTF8", "--locale=C"])
        try await cluster.runAlone(["CREATE DATABASE handles TEMPLATE template0"], in: "postgres")
        try await cluster.runAlone(
            [
                "CREATE ROLE handles_service NOLOGIN", "GRANT handles_service TO handles",
                "CREATE TABLE things (n int PRIMARY KEY, id bigint GENERATED ALWAYS AS IDENTITY, s serial)",
                "CREATE INDEX ON things (s)", "INSERT INTO things VALUES (1)",
                "CREATE VIEW seen AS SELECT n FROM things",
                "CREATE SEQUENCE numbers", "CREATE SCHEMA more", "CREATE TABLE more.things AS TABLE things",
                "CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1'",
                "GRANT SELECT ON things TO handles_service",
            ], in: "handles")
        return folder
    }

    private struct WhatIsNotOurs: NumberQuery {
        static let sql = """
            SELECT count(*) + (SELECT count(*) FROM pg_roles WHERE rolname = current_user AND rolsuper)
                + (SELECT count(*) FROM pg_database WHERE datname = 'handles' AND datdba::regrole <> 'handles'::regrole)
                + (SELECT count(*) FROM pg_proc WHERE proname = 'one' AND proowner::regrole <> 'handles'::regrole)
                + (SELECT count(*) FROM pg_namespace WHERE nspname = 'more' AND nspowner::regrole <> 'handles'::regrole)
                + (SELECT count(*) FROM pg_roles WHERE rolname LIKE '%conversion')
            FROM pg_class WHERE relnamespace::regnamespace::text IN ('public', 'more')
                AND relowner::regrole <> 'handles'::regrole
            """
    }

    /// Also when the conversion ended in the middle: after the roles, before the rules.
    @Test(.timeLimit(.minutes(5))) func takesSuperuserAndTrustFromDataOfVersionsBefore() async throws {
        let folder = try await folderOfVersionsBefore()
        let rules = "\(folder)/postgres/pg_hba.conf"
        let trusting = try String(contentsOfFile: rules, encoding: .utf8)
        for _ in 0..<2 {
            try await EmbeddedPostgres(folder: folder).use(as: .service) { conninfo in
                let count = try await run("ALTER TABLE things ADD COLUMN IF NOT EXISTS more int", on: conninfo)
                #expect(count == 1)
                #expect(try await number(WhatIsNotOurs(), on: conninfo) == 0)
                try await execute("SET ROLE handles_service; SELECT FROM things", on: conninfo)
            }
            #expect(try String(contentsOfFile: rules, encoding: .utf8) == Cluster.Access.rules)
            try trusting.write(toFile: rules, atomically: false, encoding: .utf8)
        }
    }

    @Test func letsNobodyInButItsOwnerAndOnlyAsItsRole() async throws {
        let folder = TemporaryFolder.make() + "/data"
        try await EmbeddedPostgres(folder: folder, settings: ["fsync=off"]).use(as: .service) { conninfo in
            let rules = try String(contentsOfFile: "\(folder)/postgres/pg_hba.conf", encoding: .utf8)
            #expect(!rules.contains("trust"))
            #expect(try await !isRefused("handles", at: folder))
            for role in ["postgres", "handles_service", "root"] {
                #expect(try await isRefused(role, at: folder), "\(role)")
            }
            if getuid() == 0 {
                // Debian's user for all clusters, under whom the server runs.
                for user in ["postgres", "nobody"] {
                    let asUser = ["setpriv", "--reuid=\(user)", "--clear-groups", "--"]
                    #expect(try await isRefused("handles", at: folder, as: asUser), "\(user)")
                }
            }
            #expect(try await number(WhatIsNotOurs(), on: conninfo) == 0)
        }
    }

    @Test func keepsUsersWhoWereLetInByHand() {
        let users = Cluster.Access.users("jane", after: "")
        #expect(users == "handles  \"jane\"  handles\nhandles  \"root\"  handles\n")
        let more = Cluster.Access.users("jane", after: users + "mine  jim  reader\n")
        #expect(more == users + "mine  jim  reader\n")
        #expect(Cluster.Access.users("root", after: more) == "handles  \"root\"  handles\nmine  jim  reader\n")
    }

    @Test func saysWhenTheDataAreOfAnotherVersion() async throws {
        let folder = TemporaryFolder.make()
        try FileManager.default.createDirectory(atPath: "\(folder)/postgres", withIntermediateDirectories: true)
        try "9\n".write(toFile: "\(folder)/postgres/PG_VERSION", atomically: true, encoding: .utf8)
        await #expect {
            try await EmbeddedPostgres(folder: folder).use(as: .service) { _ in }
        } throws: { error in
            (error as? EmbeddedPostgresError)?.code == .wrongVersion
        }
    }

    @Test func saysWhenNoServerIsInstalled() {
        #expect { try PostgresPrograms.find(version: nil, under: "/nonexistent") } throws: { error in
            let error = error as? EmbeddedPostgresError
            return error?.code == .notInstalled && error?.description.contains("apt-get install postgresql") == true
        }
    }

    @Test func saysWhenTheFolderCannotBeMade() {
        #expect { try EmbeddedPostgres(folder: "/proc/nothing/here") } throws: { error in
            (error as? EmbeddedPostgresError)?.code == .noAccess
        }
    }
}
