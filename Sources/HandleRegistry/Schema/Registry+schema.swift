import Postgres
package import Schema

extension Registry {
    /// The version of the schema that this program works with.
    package static var schemaVersion: Int { Migration.all.last?.version ?? 0 }

    /// True if the database has exactly this program's version of the schema, and the registry can decide.
    /// - Throws: `PostgresError` if the database can't be used, or the reserved words are too old for decisions.
    package func isReady() async throws -> Bool {
        guard try await installedVersion() == Self.schemaVersion else { return false }
        _ = try writes.confirmedWords()
        return true
    }

    /// Migrates the schema to this program's version. Several programs may try at the same time.
    /// - Parameters:
    ///   - migrations: others than this program's, in tests.
    ///   - lockTimeout: the longest wait for a table that another session uses, as in PostgreSQL's settings.
    /// - Returns: the names of the migrations that were run, in order.
    /// - Throws: ``RegistryError``; ``PostgresError``. Then nothing has changed.
    @discardableResult
    package func migrate(
        with migrations: [Migration] = Migration.all, lockTimeout: String = longestLockWait
    ) async throws -> [String] {
        // Opens the background connection first, in case the server allows only a few.
        let installed = try await installedVersion()
        try Self.refuseFuture(installed, of: migrations)
        guard migrations.contains(where: { $0.version > installed }) else { return [] }
        let deadline = ContinuousClock.now + Self.migrationTimeout
        let applied = try await withOwner(until: deadline) { connection in
            try await Migrator(
                connection: connection, migrations: migrations, limit: Self.migrationTimeout, lockTimeout: lockTimeout
            ).run()
        }
        // Connections opened before the migration have more rights than the service needs.
        await pool.closeIdle()
        await background.closeIdle()
        return applied
    }

    /// Run on each new connection of a pool. It takes the role `handles_service`, which may do only what the service
    /// needs, if the role has its rights and the connection's user is a member.
    ///
    /// Sequential scans, hash joins and merge joins are off, because no statement here reads more than a few rows by
    /// key. A plan made while a table was small would otherwise be kept while the table grows. ``plans`` are
    /// generic, because one plan suits all values and planning would cost more than the look-up itself.
    package static let sessionScript = """
        SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
        \(plans)
        SELECT set_config('role', rolname, false) FROM pg_roles
        WHERE rolname = 'handles_service' AND pg_has_role(session_user, oid, \(membership))
            AND has_table_privilege(oid, to_regclass('handle_events'), 'INSERT');
        """

    /// The right to take a role, for `pg_has_role`. Since PostgreSQL 16 a member of a role may lack it.
    package static let membership = """
        CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END
        """

    /// Gives a transaction all rights of the connection's user, and long timeouts. A setting of the session could reach
    /// another session behind a pooler.
    static func ownersRights(lockTimeout: String) -> String {
        "SET LOCAL ROLE NONE; SET LOCAL statement_timeout = '59min'; SET LOCAL lock_timeout = '\(lockTimeout)';\n"
    }

    /// Runs `body`, which uses ``ownersRights(lockTimeout:)``, on a connection of its own.
    /// - Throws: `PostgresError` with the code `timedOut` if another session uses a table for longer than the lock timeout.
    func withOwner<Result: Sendable>(
        until deadline: ContinuousClock.Instant, _ body: (Connection) async throws -> Result
    ) async throws -> Result {
        try await pool.withOwnConnection(until: deadline) { connection in
            do {
                return try await body(connection)
            } catch let error as PostgresError where error.isLockTimeout {
                throw PostgresError(
                    .timedOut,
                    "another session uses a table that is to be changed, as a backup, an export or a vacuum does; try again when "
                        + "it has ended", sqlState: error.sqlState)
            }
        }
    }

    private func installedVersion() async throws -> Int {
        guard try await background.run(HasBookkeeping()).first == true else { return 0 }
        return Int(try await background.run(InstalledVersion()).first ?? 0)
    }

    /// - Throws: ``RegistryError`` if the database has a version after the last of `migrations`.
    package static func refuseFuture(
        _ installed: Int, of migrations: [Migration] = Migration.all
    ) throws(RegistryError) {
        let last = migrations.last?.version ?? 0
        guard installed > last else { return }
        throw RegistryError(
            .schemaFromFuture,
            "the database has schema version \(installed), but this program supports versions up to \(last); use a newer "
                + "program")
    }

    /// The longest wait for a lock on a table. All callers wait behind it.
    package static let longestLockWait = "10s"

    /// A migration may have to write every row of a large table anew.
    static let migrationTimeout = Duration.seconds(3600)
}
