import Postgres

/// What tells a primary and its replicas from other servers.
struct ServerIdentity: Sendable, Equatable {
    /// What all copies of one cluster have in common.
    let system: Int64
    /// Grows when a replica takes over. One that has stayed behind on another timeline has changes that nobody else has, or
    /// lacks some for ever.
    let timeline: Int64
}

/// How far a server has written or replayed which log, in bytes.
struct LogProgress: Sendable, Equatable {
    let identity: ServerIdentity
    let position: Int64

    /// What is read of every server. After a replica has taken over, the others tell of the new timeline from their next
    /// restart point on.
    fileprivate static let identity = "SELECT s.system_identifier, c.timeline_id::bigint"
    fileprivate static let source = "FROM pg_control_system() AS s, pg_control_checkpoint() AS c"
}

/// Where the log of a primary ends.
struct PrimaryProgress: Statement {
    static let sql = """
        \(LogProgress.identity), pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint \(LogProgress.source)
        """
    func bind(to parameters: inout Parameters) {}
    static func decode(_ row: inout RowReader) throws(PostgresError) -> LogProgress { try LogProgress(row: &row) }
}

/// Up to where a replica has replayed the log; no row from a server that is none.
struct ReplicaProgress: Statement {
    static let sql = """
        \(LogProgress.identity), pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint \(LogProgress.source)
        WHERE pg_is_in_recovery() AND pg_last_wal_replay_lsn() IS NOT NULL
        """
    func bind(to parameters: inout Parameters) {}
    static func decode(_ row: inout RowReader) throws(PostgresError) -> LogProgress { try LogProgress(row: &row) }
}

extension LogProgress {
    fileprivate init(row: inout RowReader) throws(PostgresError) {
        identity = ServerIdentity(system: try row.integer(), timeline: try row.integer())
        position = try row.integer()
    }
}
