package import Postgres
import Schema

/// True if the table of migrations exists.
package struct HasBookkeeping: Statement {
    package static let sql = "SELECT to_regclass('schema_migrations') IS NOT NULL"
    package init() {}
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
        SET LOCAL lock_timeout = '\(lockTimeout)';
        """
    }

    package static let sql = "SELECT coalesce(max(version), 0) FROM schema_migrations"
    package init() {}
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

/// The encoding of the database's texts.
struct DatabaseEncoding: Statement {
    static let sql = "SELECT current_setting('server_encoding')"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.text() }
}
