public import Postgres

/// Runs SQL on a database as the owner of its tables.
public func execute(_ sql: String, on conninfo: String) async throws {
    let deadline = ContinuousClock.now + .seconds(600)
    let connection = try await Connection.open(conninfo, until: deadline)
    defer { Task { await connection.close() } }
    try await connection.run(script: sql, until: deadline)
}

/// A query with one number for an answer, made for one test.
public protocol NumberQuery: Statement where Row == Int64 {}

extension NumberQuery {
    public func bind(to parameters: inout Parameters) {}
    public static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}

/// The answer to a query with one number.
public func number<Query: NumberQuery>(_ query: Query, on conninfo: String) async throws -> Int64 {
    let deadline = ContinuousClock.now + .seconds(600)
    let connection = try await Connection.open(conninfo, until: deadline)
    defer { Task { await connection.close() } }
    return try await connection.run(query, until: deadline).first ?? -1
}
