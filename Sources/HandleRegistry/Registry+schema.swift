import Postgres
import Schema

extension Registry {
    /// The version of the schema that this program works with.
    public static var schemaVersion: Int { Migration.all.last?.version ?? 0 }

    /// Whether the database answers and has the schema.
    public func isReady() async throws -> Bool {
        try await installedVersion() == Self.schemaVersion
    }

    /// Brings the schema up to date; several programs may try at the same time.
    /// - Returns: the names of the migrations that were run, in order.
    /// - Throws: ``RegistryError``; ``PostgresError``.
    @discardableResult
    public func migrate() async throws -> [String] {
        if try await installedVersion() == Self.schemaVersion { return [] }
        let deadline = ContinuousClock.now + Self.migrationTimeout
        do {
            return try await migrate(until: deadline)
        } catch let error as PostgresError where error.sqlState == "23505" {
            // Two made the table of migrations at the same moment, which PostgreSQL lets one do; it is there now.
            return try await migrate(until: deadline)
        }
    }

    private func migrate(until deadline: ContinuousClock.Instant) async throws -> [String] {
        try await pool.withConnection(until: deadline) { connection in
            guard try await connection.run(ServerEncoding(), until: deadline).first == "UTF8" else {
                throw RegistryError(
                    .unsuitableDatabase, "the database must have the encoding UTF8; create it with ENCODING 'UTF8'")
            }
            return try await connection.transaction(until: deadline) { connection in
                // The lock on the first row makes others wait; whoever comes next finds the work done.
                try await connection.run(script: InstalledVersion.bookkeeping, until: deadline)
                let installed = try await connection.run(InstalledVersion(), until: deadline).first ?? 0
                try Self.refuseFuture(Int(installed))
                let missing = Migration.all.filter { $0.version > installed }
                for migration in missing {
                    try await connection.run(script: migration.sql, until: deadline)
                    _ = try await connection.run(NoteMigration(migration: migration), until: deadline)
                }
                return missing.map { "\($0.version) \($0.name)" }
            }
        }
    }

    private func installedVersion() async throws -> Int {
        guard try await pool.run(HasBookkeeping()).first == true else { return 0 }
        let installed = Int(try await pool.run(InstalledVersion()).first ?? 0)
        try Self.refuseFuture(installed)
        return installed
    }

    private static func refuseFuture(_ installed: Int) throws(RegistryError) {
        guard installed > schemaVersion else { return }
        throw RegistryError(
            .schemaFromFuture,
            "the database has schema version \(installed), and this program knows versions up to "
                + "\(schemaVersion); use a newer program")
    }

    private static let migrationTimeout = Duration.seconds(60)
}
