import HandleRules
import Postgres
import TestSupport
import Testing

@testable import HandleRegistry

@Suite struct ConnectionLimitTests {
    /// The limit of the database is one for its role too: both may be as low as that on a managed server.
    @Test func serviceLeavesAConnectionForCommands() async throws {
        let conninfo = try await TestCluster.shared.freshDatabase()
        let name = try #require(conninfo.firstMatch(of: /dbname=(\w+)/)).1
        try await execute("ALTER DATABASE \(name) CONNECTION LIMIT 6", on: conninfo)
        let pool = patientPool(conninfo)
        let background = patientPool(conninfo) { $0.size = 2 }
        background.share(with: pool)
        let registry = try Registry(pool: pool, background: background)
        #expect(pool.configuration.size > 3)
        #expect(try await registry.leaveConnectionForCommands() == 3)
        try await withThrowingTaskGroup { group in
            for number in 0..<60 {
                group.addTask { _ = try await registry.record(of: distinctHandle(number)) }
                group.addTask { try await registry.refreshWords() }
            }
            try await group.waitForAll()
        }
        #expect(pool.metrics.connections <= 3)
        // The server may still count the connection that set the limit.
        try await eventually("a command gets in") {
            guard let command = try? await Connection.open(conninfo, until: .now + .seconds(60)) else { return false }
            await command.close()
            return true
        }
        await pool.close()
        await background.close()
        // Without a limit the size stays as it is.
        #expect(try await freshRegistry().leaveConnectionForCommands() == nil)
    }

    private func distinctHandle(_ number: Int) throws -> Handle { try handle("name_\(number)") }
}
