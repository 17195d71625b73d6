import Postgres

import struct FoundationEssentials.Date

/// Version, user, database, mode and standbys of the server.
struct ServerFacts: Statement {
    struct Row: Sendable {
        /// 150004 for 15.4.
        let versionNumber: Int64
        let version: String
        let user: String
        let database: String
        let isInRecovery: Bool
        let isReadOnly: Bool
        /// The setting `synchronous_standby_names`: the standbys that commits wait for.
        var synchronousStandbys = ""
    }

    static let sql = """
        SELECT current_setting('server_version_num')::bigint, split_part(current_setting('server_version'), ' ', 1),
            session_user::text, current_database()::text, pg_is_in_recovery(),
            current_setting('transaction_read_only') = 'on', current_setting('synchronous_standby_names')
        """

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        Row(
            versionNumber: try row.integer(), version: try row.text(), user: try row.text(), database: try row.text(),
            isInRecovery: try row.boolean(), isReadOnly: try row.boolean(), synchronousStandbys: try row.text())
    }
}

/// Shows if the service can work in its own role, which may do only what the service needs.
struct ServiceRole: Statement {
    struct Row: Sendable {
        let exists: Bool
        /// Whether the user may take the role.
        let isMember: Bool
        /// Nil if there are no tables.
        let hasRights: Bool?
    }

    static let sql = """
        SELECT r.oid IS NOT NULL, coalesce(pg_has_role(session_user, r.oid, \(Registry.membership)), false),
            (SELECT bool_and(has_table_privilege(r.oid, to_regclass(t.name), 'INSERT'))
                FROM unnest(ARRAY[
                    'names', 'handle_events', 'owners', 'owner_events', 'reserved_words', 'idempotency_keys',
                    'access_keys'
                ]) AS t (name))
        FROM (SELECT 1) AS one LEFT JOIN pg_roles AS r ON r.rolname = 'handles_service'
        """

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        Row(exists: try row.boolean(), isMember: try row.boolean(), hasRights: try row.optionalBoolean())
    }
}

/// Encoding and collation of the database.
struct DatabaseLocale: Statement {
    struct Row: Sendable {
        let encoding: String
        let collation: String
        /// Number of columns with handles that have another collation than "C".
        let otherColumns: Int64
    }

    static let sql = """
        SELECT current_setting('server_encoding'), d.datcollate::text, (
            SELECT count(*) FROM pg_attribute AS a
            WHERE a.attrelid IN (to_regclass('names'), to_regclass('handle_events'), to_regclass('reserved_words'))
                AND a.attname IN ('key', 'handle', 'display', 'word') AND a.attcollation <> 'pg_catalog."C"'::regcollation
        )
        FROM pg_database AS d WHERE d.datname = current_database()
        """

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        Row(encoding: try row.text(), collation: try row.text(), otherColumns: try row.integer())
    }
}

/// Settings that protect commits in a crash.
struct Durability: Statement {
    struct Row: Sendable {
        let hasSync: Bool
        let hasFullPages: Bool
        let synchronousCommit: String
        let hasChecksums: Bool
    }

    static let sql = """
        SELECT current_setting('fsync') = 'on', current_setting('full_page_writes') = 'on',
            current_setting('synchronous_commit'), current_setting('data_checksums') = 'on'
        """

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        Row(
            hasSync: try row.boolean(), hasFullPages: try row.boolean(), synchronousCommit: try row.text(),
            hasChecksums: try row.boolean())
    }
}

/// The time of the database's clock.
struct DatabaseClock: Statement {
    static let sql = "SELECT clock_timestamp()"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Date { try row.date() }
}

/// The servers that stream the log, and their progress.
struct LookupReplicas: Statement {
    struct Row: Sendable {
        let name: String
        /// Nil if the user may not see it.
        let state: String?
        /// `async`, `sync`, `quorum` or `potential`.
        let mode: String?
        /// Log that the server has not replayed.
        let bytes: Int64?
        /// Recent replay lag.
        let lag: Duration?
    }

    static let sql = """
        SELECT coalesce(nullif(application_name, ''), 'process ' || pid), state, sync_state,
            CASE WHEN NOT pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::bigint END,
            (extract(epoch FROM replay_lag) * 1000000)::bigint
        FROM pg_stat_replication ORDER BY pid
        """

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        Row(
            name: try row.text(), state: try row.optionalText(), mode: try row.optionalText(),
            bytes: try row.optionalInteger(), lag: try row.optionalInteger().map { .microseconds($0) })
    }
}

/// The number that a primary shares with its replicas and no other server.
struct SystemIdentifier: Statement {
    static let sql = "SELECT system_identifier FROM pg_control_system()"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}

/// The size of the database in bytes.
struct DatabaseSize: Statement {
    static let sql = "SELECT pg_database_size(current_database())"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}

/// The oldest transactions of other sessions that are older than `age`.
struct LongTransactions: Statement {
    let age: Duration

    struct Row: Sendable {
        let process: Int64
        let user: String
        let application: String
        /// `active`, `idle in transaction` …
        let state: String
        let age: Duration
        /// Ids of the processes that block it, separated by commas.
        let blockers: String
    }

    static let sql = """
        SELECT pid, coalesce(usename::text, ''), coalesce(application_name, ''), coalesce(state, ''),
            (extract(epoch FROM clock_timestamp() - xact_start) * 1000000)::bigint,
            array_to_string(pg_blocking_pids(pid), ', ')
        FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
            AND xact_start < clock_timestamp() - $1::interval
        ORDER BY xact_start LIMIT 5
        """

    func bind(to parameters: inout Parameters) { parameters.add(age) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        Row(
            process: try row.integer(), user: try row.text(), application: try row.text(),
            state: try row.text(), age: .microseconds(try row.integer()), blockers: try row.text())
    }
}

/// The number of unfinished prepared transactions that are older than `age`.
struct PreparedTransactions: Statement {
    let age: Duration
    static let sql = """
        SELECT count(*) FROM pg_prepared_xacts
        WHERE database = current_database() AND prepared < clock_timestamp() - $1::interval
        """
    func bind(to parameters: inout Parameters) { parameters.add(age) }
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}

/// The number of sessions on the database that are hidden from this user.
struct HiddenSessions: Statement {
    static let sql = """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND query = '<insufficient privilege>'
        """

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}
