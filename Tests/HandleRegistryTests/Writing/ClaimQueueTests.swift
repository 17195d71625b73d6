import HandleRules
import Postgres
import TestSupport
import Testing

@testable import HandleRegistry

@Suite(.consistent) struct ClaimQueueTests {
    /// A registry in which `johndoe` is free, and a session that has locked its row.
    private func contested(
        configure: (inout Pool.Configuration) -> Void = { _ in }
    ) async throws -> (Registry, LockingSession) {
        let database = try await TestCluster.shared.freshDatabase()
        let patient = try Registry(pool: patientPool(database), policy: .unlimited)
        _ = try await patient.hold("johndoe", for: owner("nobody"))
        try await patient.release(handle("johndoe"))
        let registry = try Registry(pool: patientPool(database, configure: configure), policy: .unlimited)
        return (registry, try await LockingSession("names", by: "handle", on: database))
    }

    /// One of the claims waits in the database; the others wait in the queue, without a connection.
    @Test(.timeLimit(.minutes(5))) func claimsOfOneNameLeaveTheConnectionsToOtherClaims() async throws {
        let (registry, session) = try await contested()
        try await withThrowingTaskGroup(of: ChangeOutcome.Kind.self) { group in
            for number in 0..<100 {
                group.addTask { try await registry.claim("JohnDoe", for: owner("owner-\(number)")).kind }
            }
            try await eventually("one claim runs, the others wait") { registry.claims.waitingCount == 99 }
            for number in 0..<20 {
                #expect(try await registry.claim("other_\(number)x", for: owner("other-\(number)")).kind == .done)
                let metrics = registry.poolMetrics
                #expect(metrics.connections - metrics.idle <= 1 && metrics.waiting == 0)
            }
            try await session.letGo()
            var outcomes: [ChangeOutcome.Kind: Int] = [:]
            for try await outcome in group { outcomes[outcome, default: 0] += 1 }
            #expect(outcomes == [.done: 1, .refused(.taken): 99])
        }
        #expect(registry.claims.waitingCount == 0)
    }

    /// The timeout of a call applies both to a claim in the queue and to one that waits in the database.
    @Test(.timeLimit(.minutes(5))) func waitingClaimTimesOut() async throws {
        let (registry, session) = try await contested { $0.timeout = .seconds(1) }
        try await race(20) { number in
            let error = await #expect(throws: PostgresError.self) {
                try await registry.claim("johndoe", for: owner("owner-\(number)"))
            }
            #expect(error?.code == .timedOut)
        }
        try await session.letGo()
        // A claim may time out although it is committed; the next one then finds it.
        try await eventually("the name can be claimed") {
            let kind = try? await registry.claim("johndoe", for: owner("one")).kind
            return kind == .done || kind == .already
        }
    }

    /// A cancelled claim frees its place in the queue.
    @Test(.timeLimit(.minutes(5))) func cancelledClaimLeavesTheQueueAndTakesNothing() async throws {
        let (registry, session) = try await contested()
        let first = Task { try await registry.claim("johndoe", for: owner("first")).kind }
        try await eventually("the first claim runs") { registry.poolMetrics.connections > registry.poolMetrics.idle }
        let second = Task { try await registry.claim("johndoe", for: owner("second")) }
        try await eventually("the second claim waits") { registry.claims.waitingCount == 1 }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(registry.claims.waitingCount == 0)
        try await session.letGo()
        #expect(try await first.value == .done)
    }
}
