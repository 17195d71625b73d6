import Foundation
import TestSupport
import Testing

@testable import EmbeddedPostgres

/// The number of rows of `things`.
private func count(_ conninfo: String) async throws -> Int64 {
    try await number("SELECT count(*) FROM things", on: conninfo)
}

private func postmaster(_ folder: String) -> pid_t? {
    TemporaryFolder.postmaster("\(folder)/postgres/postmaster.pid")
}

private func isListening(_ folder: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(folder)/postgres/.s.PGSQL.5432")
}

/// A data folder with a copy of the prepared cluster, for tests that do not need initdb.
func preparedFolder() async throws -> String {
    let folder = TemporaryFolder.make()
    try await PreparedCluster.copy(to: folder)
    return folder
}

@Suite(.serialized) struct EmbeddedPostgresTests {
    @Test(arguments: ["plain", "with a space", "qu'ote\\s", String(repeating: "long", count: 40)])
    func dataAreKeptFromOneUseToTheNext(_ name: String) async throws {
        let folder = TemporaryFolder.make(name) + "/data"
        let postgres = try EmbeddedPostgres(folder: folder, settings: ["fsync=off"])
        try await postgres.use(as: .service) { conninfo in
            try await execute("CREATE TABLE things (n int); INSERT INTO things VALUES (1)", on: conninfo)
        }
        #expect(!isListening(folder))
        try await postgres.use(as: .service) { conninfo in
            try await execute("INSERT INTO things VALUES (2)", on: conninfo)
            #expect(try await count(conninfo) == 2)
        }
        #expect(!isListening(folder))
    }

    @Test func serverIsStoppedByTheLastOfItsUsers() async throws {
        let folder = try await preparedFolder()
        let postgres = try EmbeddedPostgres(folder: folder)
        try await postgres.use(as: .service) { conninfo in
            try await execute("CREATE TABLE things (n int)", on: conninfo)
            // A command during the service uses the same server and leaves it running.
            try await EmbeddedPostgres(folder: folder).use(as: .command) { conninfo in
                try await execute("INSERT INTO things VALUES (1)", on: conninfo)
            }
            let count = try await count(conninfo)
            #expect(count == 1)
        }
        #expect(!isListening(folder))
    }

    @Test func concurrentCommandsShareOneServer() async throws {
        let folder = try await preparedFolder()
        let postgres = try EmbeddedPostgres(folder: folder)
        try await postgres.use(as: .command) { try await execute("CREATE TABLE things (n int)", on: $0) }
        try await race(8) { _ in
            try await EmbeddedPostgres(folder: folder).use(as: .command) { conninfo in
                try await execute("INSERT INTO things VALUES (1)", on: conninfo)
            }
        }
        #expect(!isListening(folder))
        try await postgres.use(as: .command) { conninfo in
            let count = try await count(conninfo)
            #expect(count == 8)
        }
    }

    @Test func secondServiceOnTheSameFolderIsRefused() async throws {
        let folder = try await preparedFolder()
        let postgres = try EmbeddedPostgres(folder: folder)
        let second = try EmbeddedPostgres(folder: folder)
        try await postgres.use(as: .service) { _ -> Void in
            let error = await #expect(throws: EmbeddedPostgresError.self) {
                try await second.use(as: .service) { _ in }
            }
            #expect(error?.code == .inUse && error?.description.contains("\(getpid())") == true)
        }
    }

    @Test func runningServerIsReusedAfterItsUserDied() async throws {
        let folder = try await preparedFolder()
        let postgres = try EmbeddedPostgres(folder: folder)
        // Holding the lock of users keeps the server running, as if its user had been killed.
        let user = try FileLock(path: "\(folder)/use.lock")
        #expect(user.tryLock(.shared))
        try await postgres.use(as: .service) { try await execute("CREATE TABLE things (n int)", on: $0) }
        #expect(isListening(folder))
        let before = postmaster(folder)
        user.unlock()
        try await postgres.use(as: .service) { conninfo in
            #expect(postmaster(folder) == before)
            let count = try await count(conninfo)
            #expect(count == 0)
        }
        #expect(!isListening(folder))
    }

    @Test func dataAreRecoveredAfterTheServerWasKilled() async throws {
        let folder = try await preparedFolder()
        let postgres = try EmbeddedPostgres(folder: folder)
        // Stopping fails because the server is gone already. The error is ignored here; the next use must not see it.
        try? await postgres.use(as: .service) { conninfo in
            try await execute("CREATE TABLE things (n int); INSERT INTO things VALUES (1)", on: conninfo)
            kill(try #require(postmaster(folder)), SIGKILL)
        }
        try await postgres.use(as: .service) { conninfo in
            let count = try await count(conninfo)
            #expect(count == 1)
        }
    }

    @Test(.timeLimit(.minutes(5))) func cancelledStartLeavesNoServerBehind() async throws {
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

    /// After a crash the start is retried for a while, but not for a cancelled caller.
    @Test(.timeLimit(.minutes(5))) func cancelledStartIsNotTriedAgain() async throws {
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

    @Test func clusterIsMadeAnewAfterAnInterruptedFirstStart() async throws {
        let folder = TemporaryFolder.make()
        try FileManager.default.createDirectory(
            atPath: "\(folder)/postgres.new/base", withIntermediateDirectories: true)
        if let user = try ServerUser.current() {
            for path in ["postgres.new", "postgres.new/base"] { chown("\(folder)/\(path)", user.userID, user.groupID) }
        }
        try await EmbeddedPostgres(folder: folder, settings: ["fsync=off"]).use(as: .service) { conninfo in
            try await execute("CREATE TABLE things (n int)", on: conninfo)
        }
    }

    @Test func dataOfAnotherVersionAreRefused() async throws {
        let folder = TemporaryFolder.make()
        try FileManager.default.createDirectory(atPath: "\(folder)/postgres", withIntermediateDirectories: true)
        try "9\n".write(toFile: "\(folder)/postgres/PG_VERSION", atomically: true, encoding: .utf8)
        let error = await #expect(throws: EmbeddedPostgresError.self) {
            try await EmbeddedPostgres(folder: folder).use(as: .service) { _ in }
        }
        #expect(error?.code == .wrongVersion)
    }

    @Test func missingInstallationIsReported() {
        let error = #expect(throws: EmbeddedPostgresError.self) {
            try PostgresPrograms.find(version: nil, under: "/nonexistent")
        }
        #expect(error?.code == .notInstalled && error?.description.contains("apt-get install postgresql") == true)
    }

    @Test func folderThatCannotBeMadeIsReported() {
        let error = #expect(throws: EmbeddedPostgresError.self) { try EmbeddedPostgres(folder: "/proc/nothing/here") }
        #expect(error?.code == .noAccess)
    }
}
