import Postgres
import TestSupport

/// A database that allows a role few connections, and a larger pool of that role.
struct LimitedServer {
    let database: String
    let configuration: Pool.Configuration
    private let role: String

    init(connections: Int) async throws {
        database = try await TestCluster.shared.emptyDatabase()
        role = "limited_\(UInt32.random(in: 0 ... .max))"
        try await execute("CREATE ROLE \(role) LOGIN CONNECTION LIMIT \(connections)", on: database.asSuperuser)
        var configuration = Pool.Configuration(
            conninfo: database.replacing("user=handles", with: "user=\(role)"), statementTimeout: .seconds(60))
        // A refused connection is tried again for a twentieth of the timeout.
        (configuration.size, configuration.timeout) = (4, .seconds(600))
        self.configuration = configuration
    }

    func allow(connections: Int) async throws {
        try await execute("ALTER ROLE \(role) CONNECTION LIMIT \(connections)", on: database.asSuperuser)
    }
}
