import HandleRegistry
import HandleRules
import Postgres
import Schema
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

    /// A second migration, which no program has yet.
    private static let second = Migration(
        version: 2, name: "second", sql: "ALTER TABLE reserved_words ADD COLUMN note text")

    @Test func nextMigrationKeepsTheDataAndStopsThisProgram() async throws {
        let conninfo = try await TestCluster.shared.freshDatabase()
        let registry = try registry(conninfo)
        try await registry.change(.add("launch", .exact))
        #expect(try await registry.migrate(with: Migration.all + [Self.second]) == ["2 second"])
        #expect(try await registry.migrate(with: Migration.all + [Self.second]) == [])
        try await execute("UPDATE reserved_words SET note = 'kept' WHERE word = 'launch'", on: conninfo)
        // This program has no second migration.
        #expect(try await registry.isReady() == false)
        await #expect { try await registry.migrate() } throws: { error in
            (error as? RegistryError)?.code == .schemaFromFuture
        }
    }

    @Test func failedMigrationChangesNothing() async throws {
        let registry = try registry(try await TestCluster.shared.emptyDatabase())
        let failing = Migration(version: 3, name: "third", sql: "ALTER TABLE nothing ADD COLUMN note text")
        await #expect(throws: PostgresError.self) {
            try await registry.migrate(with: Migration.all + [Self.second, failing])
        }
        #expect(try await registry.isReady() == false)
        #expect(try await registry.migrate() == ["1 registry"])
        #expect(try await registry.isReady())
    }

    /// All callers would wait behind the migration, and it behind the reader.
    @Test func migrationBehindAReaderFailsSoonAndCanBeRepeated() async throws {
        let conninfo = try await TestCluster.shared.freshDatabase()
        let registry = try registry(conninfo)
        let deadline = ContinuousClock.now + .seconds(60)
        let reader = try await Connection.open(conninfo, until: deadline)
        try await reader.run(script: "BEGIN; LOCK TABLE reserved_words IN ACCESS SHARE MODE", until: deadline)
        await #expect {
            try await registry.migrate(with: Migration.all + [Self.second], lockTimeout: "20ms")
        } throws: { error in
            guard let error = error as? PostgresError else { return false }
            // A service tries again by itself.
            return error.isTransient && "\(error)".hasPrefix("timedOut: another session uses a table")
        }
        try await reader.run(script: "COMMIT", until: deadline)
        #expect(try await registry.migrate(with: Migration.all + [Self.second]) == ["2 second"])
    }
}
