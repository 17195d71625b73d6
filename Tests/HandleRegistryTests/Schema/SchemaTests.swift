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
        // Each version was applied once, and no migration failed.
        let applied = try await race(8) { _ in try await registry(conninfo).migrate().count }
        #expect(applied.reduce(0, +) == Registry.schemaVersion)
    }

    @Test func migrationRefusesASchemaOfANewerProgram() async throws {
        let conninfo = try await TestCluster.shared.freshDatabase()
        try await execute("INSERT INTO schema_migrations VALUES (999, 'future', now())", on: conninfo)
        let error = await #expect(throws: RegistryError.self) { try await registry(conninfo).migrate() }
        #expect(error?.code == .schemaFromFuture)
    }

    @Test func migrationRequiresUTF8() async throws {
        let conninfo = try await TestCluster.shared.emptyDatabase()
        try await execute("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'", on: conninfo)
        let latin = conninfo.replacing(/dbname=\w+/, with: "dbname=latin")
        let error = await #expect(throws: RegistryError.self) { try await registry(latin).migrate() }
        #expect(error?.code == .unsuitableDatabase)
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
        await #expect(throws: RegistryError.self) { try await registry.migrate() }
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
        let reader = try await LockingSession("LOCK TABLE reserved_words IN ACCESS SHARE MODE", on: conninfo)
        let error = await #expect(throws: PostgresError.self) {
            try await registry.migrate(with: Migration.all + [Self.second], lockTimeout: "20ms")
        }
        // A service tries again by itself.
        #expect(error?.isTransient == true)
        #expect("\(error, default: "")".hasPrefix("timedOut: another session uses a table"))
        try await reader.letGo()
        #expect(try await registry.migrate(with: Migration.all + [Self.second]) == ["2 second"])
    }
}
