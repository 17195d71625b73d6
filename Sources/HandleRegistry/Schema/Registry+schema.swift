import HandleCore
import Postgres
import Schema

extension Registry {
    /// The version of the schema that this program works with.
    package static var schemaVersion: Int { Migration.all.last?.version ?? 0 }

    /// True if the database has exactly this program's version of the schema, and the registry can decide.
    /// - Throws: `PostgresError` if the database can't be used, or the reserved words are too old for decisions.
    package func isReady() async throws -> Bool {
        guard try await inBackground.installedVersion() == Self.schemaVersion else { return false }
        _ = try confirmedWords()
        return true
    }

    /// Migrates the schema to this program's version. Several programs may try at the same time.
    /// - Parameter report: called with each line about the progress of a migration that takes long.
    /// - Returns: the names of the migrations that were run, in order.
    /// - Throws: ``RegistryError``; ``PostgresError``.
    @discardableResult
    package func migrate(report: @escaping @Sendable (String) -> Void = { _ in }) async throws -> [String] {
        try await migrate(upTo: Self.schemaVersion, report: report)
    }

    /// Migrates to an earlier version, for tests of later migrations.
    /// - Parameters:
    ///   - lockTimeout: the longest wait for a table that another session uses, as in PostgreSQL's settings.
    ///   - patience: how long a step is tried again that has given way to other sessions.
    @discardableResult
    package func migrate(
        upTo version: Int, lockTimeout: String = longestLockWait, patience: Duration = .seconds(20),
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> [String] {
        // Opens the background connection first, in case the server allows only a few.
        let installed = try await inBackground.installedVersion()
        try Self.refuseFuture(installed)
        if installed >= version { return [] }
        let deadline = ContinuousClock.now + Self.migrationTimeout
        let applied = try await withOwner(until: deadline) { connection in
            let applied = try await Migrator(
                connection: connection, target: version, limit: Self.migrationTimeout, lockTimeout: lockTimeout,
                patience: patience, report: report
            ).run()
            if !applied.isEmpty {
                try await Self.validateConstraints(connection, lockTimeout, until: .now + Self.migrationTimeout)
            }
            return applied
        }
        // Connections opened before the migration have more rights than the service needs.
        await pool.closeIdle()
        await background.closeIdle()
        return applied
    }

    /// Validates new constraints against all rows while the tables are in use. A constraint that a row breaks stays not
    /// valid, which ``diagnose(_:patience:report:)`` reports.
    private static func validateConstraints(
        _ connection: Connection, _ lockTimeout: String, until deadline: ContinuousClock.Instant
    ) async throws {
        for constraint in try await connection.run(ConstraintsNotValid(), until: deadline) {
            do {
                try await connection.run(
                    script: ownersRights(lockTimeout: lockTimeout) + constraint.validation, until: deadline)
            } catch let error as PostgresError where error.sqlState == "23514" || error.isLockTimeout {
                continue
            }
        }
    }

    /// Distributes the tables over the nodes of a Citus cluster. Tables that are distributed already stay as they are.
    /// - Throws: ``RegistryError`` if the extension Citus is missing; ``PostgresError``.
    package func distribute() async throws {
        let deadline = ContinuousClock.now + Self.migrationTimeout
        try await withOwner(until: deadline) { connection in
            guard try await connection.run(DatabaseTraits(), until: deadline).first?.hasCitus == true else {
                throw RegistryError(
                    .unsuitableDatabase,
                    "the extension Citus is missing; as a superuser: CREATE EXTENSION citus, then citus_add_node for each "
                        + "worker")
            }
            try await connection.run(
                script: Self.ownersRights(lockTimeout: Self.longestLockWait) + Script.distribute, until: deadline)
        }
    }

    /// Run on each new connection of a pool. It takes the role `handles_service`, which may do only what the service
    /// needs, if the role has its rights and the connection's user is a member.
    ///
    /// Sequential scans, hash joins and merge joins are off, because no statement here reads more than a few rows by
    /// key. A plan made while a table was small would otherwise be kept while the table grows. Generic plans are
    /// forced, because one plan suits all values and planning would cost more than the look-up itself. (Citus needs the
    /// values.)
    package static let sessionScript = """
        SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
        SELECT set_config('plan_cache_mode', 'force_generic_plan', false)
        WHERE NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus');
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
    private func withOwner<Result: Sendable>(
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
        guard try await pool.run(HasBookkeeping()).first == true else { return 0 }
        return Int(try await pool.run(InstalledVersion()).first ?? 0)
    }

    package static func refuseFuture(_ installed: Int) throws(RegistryError) {
        guard installed > schemaVersion else { return }
        throw RegistryError(
            .schemaFromFuture,
            "the database has schema version \(installed), but this program supports versions up to "
                + "\(schemaVersion); use a newer program")
    }

    /// The longest wait for a lock on a table. All callers wait behind it.
    package static let longestLockWait = "10s"

    /// A migration may have to write every row of a large table anew.
    private static let migrationTimeout = Duration.seconds(3600)
}
