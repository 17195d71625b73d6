package import Postgres

/// Distinguishes a primary and its replicas from other servers.
package struct ServerIdentity: Sendable, Equatable {
    /// The same for all copies of a cluster.
    package let system: Int64
    /// Increases in a failover. A server left behind on another timeline has changes that no other server has, or lacks
    /// some for ever.
    package let timeline: Int64
}

/// The position in a server's log that it has written or replayed, in bytes.
package struct LogProgress: Sendable, Equatable {
    package let identity: ServerIdentity
    package let position: Int64

    /// Read from every server. After a failover, the other replicas report the new timeline from their next restart
    /// point on.
    fileprivate static let identity = "SELECT s.system_identifier, c.timeline_id::bigint"
    fileprivate static let source = "FROM pg_control_system() AS s, pg_control_checkpoint() AS c"
}

/// The end of a primary's log.
package struct PrimaryProgress: Statement {
    package static let sql = """
        \(LogProgress.identity), pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint \(LogProgress.source)
        """
    package init() {}
    package static func decode(_ row: inout RowReader) throws(PostgresError) -> LogProgress {
        try LogProgress(row: &row)
    }
}

/// The position that a replica has replayed; no row from a server that is not a replica.
package struct ReplicaProgress: Statement {
    package static let sql = """
        \(LogProgress.identity), pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint \(LogProgress.source)
        WHERE pg_is_in_recovery() AND pg_last_wal_replay_lsn() IS NOT NULL
        """
    package init() {}
    package static func decode(_ row: inout RowReader) throws(PostgresError) -> LogProgress {
        try LogProgress(row: &row)
    }
}

extension LogProgress {
    fileprivate init(row: inout RowReader) throws(PostgresError) {
        identity = ServerIdentity(system: try row.integer(), timeline: try row.integer())
        position = try row.integer()
    }
}
