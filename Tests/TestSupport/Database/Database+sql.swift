import Postgres

/// Runs SQL on a database as the owner of its tables.
package func execute(_ sql: String, on conninfo: String) async throws {
    try await withConnection(to: conninfo) { try await $0.run(script: sql, until: $1) }
}

/// The number in the first row of a query; -1 without rows.
package func number(_ sql: String, on conninfo: String) async throws -> Int64 {
    try await numbers(sql, on: conninfo).first ?? -1
}

/// The numbers in the rows of a query with one column.
package func numbers(_ sql: String, on conninfo: String) async throws -> [Int64] {
    try await Numbers.$sql.withValue(sql) {
        try await withConnection(to: conninfo) { try await $0.run(Numbers(), until: $1) }
    }
}

/// A query with the text that the test passes. A connection prepares it once, so each query has a connection.
private struct Numbers: Statement {
    @TaskLocal static var sql = ""
    func bind(to parameters: inout Parameters) {}
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}

private func withConnection<Result: Sendable>(
    to conninfo: String, _ body: @Sendable (Connection, _ deadline: ContinuousClock.Instant) async throws -> Result
) async throws -> Result {
    let deadline = ContinuousClock.now + .seconds(600)
    let connection = try await Connection.open(conninfo, until: deadline)
    defer { Task { await connection.close() } }
    return try await body(connection, deadline)
}

/// The number of connections to a database that wait for a lock.
/// - Parameter onlyHere: true to count those on the node of the connection only, also for a table that is not
///   distributed.
package func waitingForLocks(on conninfo: String, onlyHere: Bool = false) async throws -> Int64 {
    try await number(
        TestCluster.shared.isDistributed && !onlyHere
            ? "SELECT count(DISTINCT waiting_gpid) FROM citus_lock_waits"
            : """
            SELECT count(*) FROM pg_locks WHERE NOT granted AND pid IN
                (SELECT pid FROM pg_stat_activity WHERE datname = current_database())
            """, on: conninfo)
}

/// A session that holds row locks until ``letGo(after:)``.
package struct LockingSession {
    private let connection: Connection
    private let deadline = ContinuousClock.now + .seconds(600)

    /// Begins a transaction with a script.
    package init(_ script: String, on conninfo: String) async throws {
        connection = try await Connection.open(conninfo, until: deadline)
        try await connection.run(script: "BEGIN; \(script)", until: deadline)
    }

    /// Locks rows of a table, one by one because Citus requires it. The rows are not changed: a waiting transaction keeps
    /// its place in the queue for a row only if the row stays the same.
    /// - Parameters:
    ///   - key: the column that identifies a row.
    ///   - condition: that of the rows to lock, in SQL.
    package init(
        _ table: String, by key: String, where condition: String = "true", on conninfo: String
    ) async throws {
        let lock = """
            DO $$
            DECLARE found \(table).\(key)%TYPE;
            BEGIN
                FOR found IN SELECT \(key) FROM \(table) WHERE \(condition) ORDER BY \(key) LOOP
                    PERFORM FROM \(table) WHERE \(key) = found FOR UPDATE;
                END LOOP;
            END
            $$
            """
        try await self.init(lock, on: conninfo)
    }

    /// Releases the locks and closes the session.
    /// - Parameter script: run before, in the same transaction. `ROLLBACK` undoes all changes.
    package func letGo(after script: String = "") async throws {
        try await connection.run(script: "\(script); COMMIT", until: deadline)
        await connection.close()
    }
}
