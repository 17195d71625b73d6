import Postgres

/// Distinguishes a primary and its replicas from other servers.
struct ServerIdentity: Sendable, Equatable {
    /// The same for all copies of a cluster.
    let system: Int64
    /// Increases in a failover. A server left behind on another timeline has changes that no other server has, or lacks
    /// some for ever.
    let timeline: Int64
}

/// The position in a server's log that it has written or replayed, in bytes.
struct LogProgress: Sendable, Equatable {
    let identity: ServerIdentity
    let position: Int64

    /// Read from every server. After a failover, the other replicas report the new timeline from their next restart
    /// point on.
    fileprivate static let identity = "SELECT s.system_identifier, c.timeline_id::bigint"
    fileprivate static let source = "FROM pg_control_system() AS s, pg_control_checkpoint() AS c"
}

/// The end of a primary's log.
struct PrimaryProgress: Statement {
    static let sql = """
        \(LogProgress.identity), pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint \(LogProgress.source)
        """
    func bind(to parameters: inout Parameters) {}
    static func decode(_ row: inout RowReader) throws(PostgresError) -> LogProgress { try LogProgress(row: &row) }
}

/// The position that a replica has replayed; no row from a server that is not a replica.
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
