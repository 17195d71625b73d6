import Postgres
import TestSupport
import Testing

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
            try await race(2) { _ in try await pool.run(BriefSleep()) }
            return pool.metrics.connections == count
        }
    }

    @Test func callersAreServedAlthoughTheOtherPoolHasAllConnections() async throws {
        let (callers, first) = try await pools(limit: 2)
        try await fill(first, with: 2)
        try await race(8) { _ in try await callers.run(Plain()) }
        #expect(callers.metrics.connections == 1 && first.metrics.connections == 1)
        #expect(try await first.run(Plain()) == ["plain"])
        await first.close()
        await callers.close()
    }

    @Test func bothPoolsServeCallersWhileTheOtherIsBusy() async throws {
        let (callers, first) = try await pools(limit: 2)
        try await fill(callers, with: 2)
        try await race(6) { caller in
            for _ in 0..<20 { _ = try await (caller % 3 == 1 ? first : callers).run(BriefSleep()) }
        }
        await first.close()
        await callers.close()
    }

    /// Otherwise the pools would take it from each other for ever.
    @Test func lastConnectionOfAPoolIsNotGivenUp() async throws {
        let (callers, first) = try await pools(limit: 1)
        #expect(try await first.run(Plain()) == ["plain"])
        for _ in 0..<3 {
            let error = await #expect(throws: PostgresError.self) { try await callers.run(Plain()) }
            #expect(error?.code == .unavailable)
            #expect(try await first.run(Plain()) == ["plain"])
        }
        await first.close()
        await callers.close()
    }
}
