import Postgres
import Schema

// Citus is known here, in `distribute.sql`, and where its errors are read (`Postgres/Reported.swift`).

extension Registry {
    /// Distributes the tables over the nodes of a Citus cluster. Tables that are distributed already stay as they are.
    /// - Throws: ``RegistryError`` if the extension Citus is missing; ``PostgresError``.
    package func distribute() async throws {
        let deadline = ContinuousClock.now + Self.migrationTimeout
        try await withOwner(until: deadline) { connection in
            guard try await connection.run(HasCitus(), until: deadline).first == true else {
                throw RegistryError(
                    .unsuitableDatabase,
                    "the extension Citus is missing; as a superuser: CREATE EXTENSION citus, then citus_add_node for each "
                        + "worker")
            }
            try await connection.run(
                script: Self.ownersRights(lockTimeout: Self.longestLockWait) + Script.distribute, until: deadline)
        }
    }

    /// Generic plans, but for Citus, which needs the values to find their node.
    static let plans = """
        SELECT set_config('plan_cache_mode', 'force_generic_plan', false)
        WHERE NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus');
        """
}

/// True if the extension Citus is installed.
private struct HasCitus: Statement {
    static let sql = "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.boolean() }
}
