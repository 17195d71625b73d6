import HandleCore
package import Postgres
import Schema

import struct FoundationEssentials.Date

/// True if the table of migrations exists.
package struct HasBookkeeping: Statement {
    package static let sql = "SELECT to_regclass('schema_migrations') IS NOT NULL"
    package init() {}
    package func bind(to parameters: inout Parameters) {}
    package static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.boolean() }
}

/// The version of the schema; 0 when nothing is installed.
package struct InstalledVersion: Statement {
    /// Creates the table of migrations if it is missing, and locks its first row, so that other programs wait.
    /// - Parameter lockTimeout: the limit for the locks that follow, as in PostgreSQL's settings.
    static func bookkeeping(lockTimeout: String) -> String {
        """
        \(Registry.ownersRights(lockTimeout: "0"))
        CREATE TABLE IF NOT EXISTS schema_migrations (
            version bigint NOT NULL PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL
        );
        INSERT INTO schema_migrations (version, name, applied_at) VALUES (0, 'lock', now())
            ON CONFLICT (version) DO NOTHING;
        SELECT version FROM schema_migrations WHERE version = 0 FOR UPDATE;
        \(set(lockTimeout: lockTimeout));
        """
    }

    /// The limit for locks in the rest of the transaction.
    static func set(lockTimeout: String) -> String { "SET LOCAL lock_timeout = '\(lockTimeout)'" }

    package static let sql = "SELECT coalesce(max(version), 0) FROM schema_migrations"
    package init() {}
    package func bind(to parameters: inout Parameters) {}
    package static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}

/// Records a migration.
struct NoteMigration: Statement {
    let migration: Migration
    static let sql = "INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, $2, now())"
    func bind(to parameters: inout Parameters) {
        parameters.add(Int64(migration.version))
        parameters.add(migration.name)
    }
    typealias Row = NoRow
}

/// True from the beginning to the end of the migration that copies tables.
struct HasCopyBegun: Statement {
    static let sql = "SELECT to_regclass('slim_rows_progress') IS NOT NULL"
    func bind(to parameters: inout Parameters) {}
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.boolean() }
}

/// Copies the next rows. Its row is a line about the progress, which may be empty; nil once all rows are copied.
struct CopyNextRows: Statement {
    /// It is shorter than PostgreSQL waits before it looks for a deadlock. So nearly always the batch gives way, and no other
    /// session is stopped.
    static let lockTimeout = InstalledVersion.set(lockTimeout: "500ms")

    static let sql = "SELECT copy_next_rows()"
    func bind(to parameters: inout Parameters) {}
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String? { try row.optionalText() }
}

/// Constraints of the registry's tables that are not validated: some rows may break them.
package struct ConstraintsNotValid: Statement {
    package struct Row: Sendable {
        package let table: String
        package let name: String

        package var validation: String { "ALTER TABLE \(table) VALIDATE CONSTRAINT \(name)" }
    }

    package static let sql = """
        SELECT c.conrelid::regclass::text, c.conname::text FROM pg_constraint AS c
        WHERE NOT c.convalidated AND c.conrelid IN (
            to_regclass('handles'), to_regclass('handle_events'), to_regclass('lookalike_keys'), to_regclass('owners'),
            to_regclass('reserved_words'), to_regclass('access_keys')
        ) ORDER BY 1, 2
        """

    package init() {}
    package func bind(to parameters: inout Parameters) {}

    package static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        Row(table: try row.text(), name: try row.text())
    }
}

/// The properties of the database that the schema depends on.
struct DatabaseTraits: Statement {
    struct Row: Sendable {
        let encoding: String
        let hasCitus: Bool
    }
    static let sql = """
        SELECT current_setting('server_encoding'), EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')
        """
    func bind(to parameters: inout Parameters) {}
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        Row(encoding: try row.text(), hasCitus: try row.boolean())
    }
}

/// The handles in use.
struct LookupNamesInUse: Statement {
    struct Row: Sendable {
        let handle: Handle
        let isReserved: Bool
        let until: Date?
    }
    static let sql = """
        SELECT handle, state_code = 'r', until FROM handles
        WHERE state_code <> 'f' AND (until IS NULL OR until > now()) ORDER BY handle
        """
    func bind(to parameters: inout Parameters) {}
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        guard let handle = Handle(try row.text()) else {
            throw PostgresError(.unreadable, "the table of handles has an invalid name")
        }
        return Row(handle: handle, isReserved: try row.boolean(), until: try row.optionalDate())
    }
}
