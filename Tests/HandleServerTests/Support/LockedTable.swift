import Postgres
import TestSupport

/// A session that keeps every use of a table waiting until ``letGo()``.
struct LockedTable {
    private let connection: Connection
    private let deadline = ContinuousClock.now + .seconds(200)

    init(_ table: String = "names", in database: String) async throws {
        connection = try await Connection.open(database, until: deadline)
        try await connection.run(script: "BEGIN; LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE", until: deadline)
    }

    func letGo() async throws {
        try await connection.run(script: "ROLLBACK", until: deadline)
        await connection.close()
    }
}
