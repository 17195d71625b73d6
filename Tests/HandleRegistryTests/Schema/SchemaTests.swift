import HandleRegistry
import Postgres
import TestSupport
import Testing

@Suite struct SchemaTests {
    private func registry(_ conninfo: String) throws -> Registry {
        try Registry(pool: patientPool(conninfo))
    }

    @Test func migrationBringsTheSchemaUpToDateOnce() async throws {
        let registry = try registry(try await TestCluster.shared.emptyDatabase())
        #expect(try await registry.isReady() == false)
        #expect(try await registry.migrate().isEmpty == false)
        #expect(try await registry.migrate() == [])
        #expect(try await registry.isReady())
    }

    @Test func concurrentMigrationsApplyEachVersionOnce() async throws {
        let conninfo = try await TestCluster.shared.emptyDatabase()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { try await registry(conninfo).migrate().count }
            }
            // Each version was applied once, and no migration failed.
            let applied = try await group.reduce(0, +)
            #expect(applied == Registry.schemaVersion)
        }
    }

    @Test func migrationRefusesASchemaOfANewerProgram() async throws {
        let conninfo = try await TestCluster.shared.freshDatabase()
        let deadline = ContinuousClock.now + .seconds(60)
        let connection = try await Connection.open(conninfo, until: deadline)
        try await connection.run(
            script: "INSERT INTO schema_migrations VALUES (999, 'future', now())", until: deadline)
        await #expect { try await registry(conninfo).migrate() } throws: { error in
            (error as? RegistryError)?.code == .schemaFromFuture
        }
    }

    @Test func migrationRequiresUTF8() async throws {
        let conninfo = try await TestCluster.shared.emptyDatabase()
        let deadline = ContinuousClock.now + .seconds(60)
        let connection = try await Connection.open(conninfo, until: deadline)
        try await connection.run(
            script: "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'", until: deadline)
        let latin = conninfo.split(separator: " ").map { $0.hasPrefix("dbname=") ? "dbname=latin" : $0 }
        await #expect { try await registry(latin.joined(separator: " ")).migrate() } throws: { error in
            (error as? RegistryError)?.code == .unsuitableDatabase
        }
    }

    /// All callers would wait behind the migration, and it behind the reader.
    @Test(arguments: [(12, "lookalikes"), (13, "reserved_words")])
    func migrationBehindAReaderFailsSoonAndCanBeRepeated(_ before: Int, _ table: String) async throws {
        let conninfo = try await TestCluster.shared.emptyDatabase()
        let registry = try registry(conninfo)
        try await registry.migrate(upTo: before)
        let deadline = ContinuousClock.now + .seconds(60)
        let reader = try await Connection.open(conninfo, until: deadline)
        try await reader.run(script: "BEGIN; LOCK TABLE \(table) IN ACCESS SHARE MODE", until: deadline)
        await #expect {
            try await registry.migrate(upTo: Registry.schemaVersion, lockTimeout: "20ms")
        } throws: { error in
            guard let error = error as? PostgresError else { return false }
            // A service tries again by itself.
            return error.isTransient && "\(error)".hasPrefix("timedOut: another session uses a table")
        }
        try await reader.run(script: "COMMIT", until: deadline)
        #expect(try await registry.migrate().count == Registry.schemaVersion - before)
    }
}
