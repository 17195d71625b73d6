import Postgres
import Schema

/// Brings the schema of a database to a later version, in one transaction. Several programs may do so at the same time:
/// each locks the first row of the table of migrations, and finds what the others have done.
struct Migrator {
    /// To be closed if the run throws, which rolls it back.
    let connection: Connection
    /// All migrations, in order.
    let migrations: [Migration]
    /// The time limit of each statement.
    let limit: Duration
    /// The longest wait for a table that another session uses, as in PostgreSQL's settings.
    let lockTimeout: String

    private var deadline: ContinuousClock.Instant { .now + limit }

    /// - Returns: the names of the migrations that were run, in order.
    /// - Throws: ``RegistryError``; ``PostgresError``. Then nothing has changed.
    func run() async throws -> [String] {
        guard try await connection.run(DatabaseEncoding(), until: deadline).first == "UTF8" else {
            throw RegistryError(
                .unsuitableDatabase, "the database must have the encoding UTF8; create it with ENCODING 'UTF8'")
        }
        do {
            return try await transaction()
        } catch let error as PostgresError where error.isOfRaceToCreate {
            // The table of migrations exists now.
            try await connection.run(script: "ROLLBACK", until: deadline)
            return try await transaction()
        }
    }

    private func transaction() async throws -> [String] {
        try await connection.run(script: "BEGIN", until: deadline)
        // The lock on the row makes other programs wait without a limit. Locks on other tables have a short limit,
        // because all writers wait behind them.
        try await connection.run(script: InstalledVersion.bookkeeping(lockTimeout: lockTimeout), until: deadline)
        let installed = Int(try await connection.run(InstalledVersion(), until: deadline).first ?? 0)
        try Registry.refuseFuture(installed, of: migrations)
        let missing = migrations.filter { $0.version > installed }
        for migration in missing {
            try await connection.run(script: migration.sql, until: deadline)
            _ = try await connection.run(NoteMigration(migration: migration), until: deadline)
        }
        if !missing.isEmpty { try await connection.run(script: Script.serviceRole, until: deadline) }
        try await connection.run(script: "COMMIT", until: deadline)
        return missing.map { "\($0.version) \($0.name)" }
    }
}

extension PostgresError {
    /// True if two programs created the table of migrations at the same moment, and PostgreSQL let one of them.
    fileprivate var isOfRaceToCreate: Bool { ["23505", "42P07", "42710"].contains(sqlState) }
}
