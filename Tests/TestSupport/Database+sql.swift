package import Postgres

/// Runs SQL on a database as the owner of its tables.
package func execute(_ sql: String, on conninfo: String) async throws {
    let deadline = ContinuousClock.now + .seconds(600)
    let connection = try await Connection.open(conninfo, until: deadline)
    defer { Task { await connection.close() } }
    try await connection.run(script: sql, until: deadline)
}

/// A query with one number for an answer, made for one test.
package protocol NumberQuery: Statement where Row == Int64 {}

extension NumberQuery {
    package func bind(to parameters: inout Parameters) {}
    package static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}

/// The answer to a query with one number.
package func number<Query: NumberQuery>(_ query: Query, on conninfo: String) async throws -> Int64 {
    let deadline = ContinuousClock.now + .seconds(600)
    let connection = try await Connection.open(conninfo, until: deadline)
    defer { Task { await connection.close() } }
    return try await connection.run(query, until: deadline).first ?? -1
}

/// How many connections to a database wait for a row that somebody else has locked.
package func waitingForLocks(on conninfo: String) async throws -> Int64 {
    try await number(WaitingForLocks(), on: conninfo)
}

private struct WaitingForLocks: NumberQuery {
    static let sql = """
        SELECT count(*) FROM pg_locks WHERE NOT granted AND pid IN
            (SELECT pid FROM pg_stat_activity WHERE datname = current_database())
        """
}

/// A session that has locked something, until it lets go.
package struct LockingSession {
    private let connection: Connection
    private let deadline = ContinuousClock.now + .seconds(600)

    /// - Parameter sql: what locks, and changes nothing: who waits for a row keeps their turn only when it is the same
    ///   row afterwards.
    package init(_ sql: String, on conninfo: String) async throws {
        connection = try await Connection.open(conninfo, until: deadline)
        try await connection.run(script: "BEGIN; \(sql)", until: deadline)
    }

    package func letGo() async throws {
        try await connection.run(script: "COMMIT", until: deadline)
        await connection.close()
    }
}
