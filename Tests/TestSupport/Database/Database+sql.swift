package import Postgres

/// Runs SQL on a database as the owner of its tables.
package func execute(_ sql: String, on conninfo: String) async throws {
    let deadline = ContinuousClock.now + .seconds(600)
    let connection = try await Connection.open(conninfo, until: deadline)
    defer { Task { await connection.close() } }
    try await connection.run(script: sql, until: deadline)
}

/// A query of a test, with one number in each row.
package protocol NumberQuery: Statement where Row == Int64 {}

extension NumberQuery {
    package func bind(to parameters: inout Parameters) {}
    package static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}

/// The number in the first row of a query; -1 without rows.
package func number<Query: NumberQuery>(_ query: Query, on conninfo: String) async throws -> Int64 {
    try await numbers(query, on: conninfo).first ?? -1
}

/// The numbers in the rows of a query.
package func numbers<Query: NumberQuery>(_ query: Query, on conninfo: String) async throws -> [Int64] {
    let deadline = ContinuousClock.now + .seconds(600)
    let connection = try await Connection.open(conninfo, until: deadline)
    defer { Task { await connection.close() } }
    return try await connection.run(query, until: deadline)
}

/// A query of a test, with one text in each row.
package protocol TextQuery: Statement where Row == String {}

extension TextQuery {
    package func bind(to parameters: inout Parameters) {}
    package static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.text() }
}

/// The texts in the rows of a query.
package func texts<Query: TextQuery>(_ query: Query, on conninfo: String) async throws -> [String] {
    let deadline = ContinuousClock.now + .seconds(600)
    let connection = try await Connection.open(conninfo, until: deadline)
    defer { Task { await connection.close() } }
    return try await connection.run(query, until: deadline)
}

/// The number of connections to a database that wait for a lock.
/// - Parameter onlyHere: true to count those on the node of the connection only, also for a table that is not
///   distributed.
package func waitingForLocks(on conninfo: String, onlyHere: Bool = false) async throws -> Int64 {
    guard TestCluster.shared.isDistributed, !onlyHere else { return try await number(WaitingForLocks(), on: conninfo) }
    return try await number(WaitingOnAnyNode(), on: conninfo)
}

private struct WaitingOnAnyNode: NumberQuery {
    static let sql = "SELECT count(DISTINCT waiting_gpid) FROM citus_lock_waits"
}

private struct WaitingForLocks: NumberQuery {
    static let sql = """
        SELECT count(*) FROM pg_locks WHERE NOT granted AND pid IN
            (SELECT pid FROM pg_stat_activity WHERE datname = current_database())
        """
}

/// A session that holds row locks until ``letGo()``.
package struct LockingSession {
    private let connection: Connection
    private let deadline = ContinuousClock.now + .seconds(600)

    /// Locks rows of a table, one by one because Citus requires it. The rows are not changed: a waiting transaction keeps
    /// its place in the queue for a row only if the row stays the same.
    /// - Parameters:
    ///   - key: the column that identifies a row.
    ///   - condition: that of the rows to lock, in SQL.
    package init(
        _ table: String, by key: String, where condition: String = "true", on conninfo: String
    ) async throws {
        connection = try await Connection.open(conninfo, until: deadline)
        let lock = """
            BEGIN; DO $$
            DECLARE found \(table).\(key)%TYPE;
            BEGIN
                FOR found IN SELECT \(key) FROM \(table) WHERE \(condition) ORDER BY \(key) LOOP
                    PERFORM FROM \(table) WHERE \(key) = found FOR UPDATE;
                END LOOP;
            END
            $$
            """
        try await connection.run(script: lock, until: deadline)
    }

    /// Releases the locks and closes the session.
    /// - Parameter script: run before, in the same transaction.
    package func letGo(after script: String = "") async throws {
        try await connection.run(script: "\(script); COMMIT", until: deadline)
        await connection.close()
    }
}
