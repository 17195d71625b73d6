import Postgres
import TestSupport

/// A session that keeps every look-up of names waiting until ``letGo()``.
struct LockedHandles {
    private let connection: Connection
    private let deadline = ContinuousClock.now + .seconds(200)

    init(in database: String) async throws {
        connection = try await Connection.open(database, until: deadline)
        try await connection.run(script: "BEGIN; LOCK TABLE handles IN ACCESS EXCLUSIVE MODE", until: deadline)
    }

    func letGo() async throws {
        try await connection.run(script: "ROLLBACK", until: deadline)
        await connection.close()
    }
}
