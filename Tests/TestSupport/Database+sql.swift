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
