import Postgres

/// Where the log of a primary ends, in bytes.
struct LogPosition: Statement {
    static let sql = "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint"
    func bind(to parameters: inout Parameters) {}
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}

/// Up to where a replica has replayed the log, in bytes; NULL from a server that is none.
struct ReplayedPosition: Statement {
    static let sql = """
        SELECT CASE WHEN pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint END
        """
    func bind(to parameters: inout Parameters) {}
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64? { try row.optionalInteger() }
}
