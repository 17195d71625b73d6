import Postgres
import TestSupport
import Testing

private struct BriefSleep: Statement {
    static let sql = "SELECT pg_sleep(0.02)"
    func bind(to parameters: inout Parameters) {}
    typealias Row = NoRow
}

/// Two pools on one server that allows fewer connections than the sizes of both.
@Suite(.timeLimit(.minutes(5))) struct SharedPoolsTests {
    /// A pool for callers and one for the background work of the service.
    /// - Parameter limit: the number of connections that the server allows both pools in all.
    private func pools(limit: Int) async throws -> (callers: Pool, first: Pool) {
        let configuration = try await LimitedServer(connections: limit).configuration
        let (callers, first) = (Pool(configuration), Pool(configuration))
        callers.share(with: first)
        return (callers, first)
    }

    /// Makes a pool open as many connections as the server allows.
    private func fill(_ pool: Pool, with count: Int) async throws {
        try await eventually("the pool has all connections") {
            async let one: [NoRow] = pool.run(BriefSleep())
            async let another: [NoRow] = pool.run(BriefSleep())
            _ = try await (one, another)
            return pool.metrics.connections == count
        }
    }

    @Test func callersAreServedAlthoughTheOtherPoolHasAllConnections() async throws {
        let (callers, first) = try await pools(limit: 2)
        try await fill(first, with: 2)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { _ = try await callers.run(Plain()) } }
            try await group.waitForAll()
        }
        #expect(callers.metrics.connections == 1 && first.metrics.connections == 1)
        #expect(try await first.run(Plain()) == ["plain"])
        await first.close()
        await callers.close()
    }

    @Test func bothPoolsServeCallersWhileTheOtherIsBusy() async throws {
        let (callers, first) = try await pools(limit: 2)
        try await fill(callers, with: 2)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for pool in [callers, first, callers, first, callers, callers] {
                group.addTask { for _ in 0..<20 { _ = try await pool.run(BriefSleep()) } }
            }
            try await group.waitForAll()
        }
        await first.close()
        await callers.close()
    }

    /// Otherwise the pools would take it from each other for ever.
    @Test func lastConnectionOfAPoolIsNotGivenUp() async throws {
        let (callers, first) = try await pools(limit: 1)
        #expect(try await first.run(Plain()) == ["plain"])
        for _ in 0..<3 {
            await #expect {
                try await callers.run(Plain())
            } throws: { error in
                (error as? PostgresError)?.code == .unavailable
            }
            #expect(try await first.run(Plain()) == ["plain"])
        }
        await first.close()
        await callers.close()
    }
}
