import HandleRules
import Postgres
import TestSupport
import Testing

@testable import HandleRegistry

@Suite struct BulkClaimTests {
    @Test func confirmReturnsOnlyNamesThatTheirOwnersHaveClaimed() async throws {
        let registry = try await freshRegistry()
        let (one, two) = (try owner("one"), try owner("two"))
        for name in ["first_name", "other_name", "given_up"] { _ = try await registry.claim(name, for: one) }
        _ = try await registry.hold("held_name", for: one)
        _ = try await registry.reserve("kept_name", Reservation(reason: "test", owner: one))
        try await registry.release(handle("given_up"))
        let confirmed = try await registry.confirm([
            handle("first_name"): one, handle("other_name"): two, handle("given_up"): one, handle("held_name"): one,
            handle("kept_name"): one, handle("free_name"): one,
        ])
        #expect(try Set(confirmed.keys) == [handle("first_name")])
        #expect(try await discrepancies(registry).isEmpty)
    }

    /// The other transaction may take the name from its owner. So the name is left out, without a long lock wait.
    @Test(
        .disabled(
            if: TestCluster.shared.isDistributed, "the workers wait for the lock: docs/decisions/database.md"))
    func confirmLeavesOutANameThatIsBeingChanged() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let registry = try Registry(pool: patientPool(database), policy: .unlimited)
        let one = try owner("one")
        for name in ["first_name", "other_name"] { _ = try await registry.claim(name, for: one) }
        let deadline = ContinuousClock.now + .seconds(120)
        let other = try await Connection.open(database, until: deadline)
        try await other.run(
            script: "BEGIN; UPDATE handles SET version = 2 WHERE handle = 'first_name'", until: deadline)
        let claims = [try handle("first_name"): one, try handle("other_name"): one]
        let confirmed = try await registry.confirm([try handle("first_name"): one])
        #expect(confirmed.isEmpty)
        try await other.run(script: "ROLLBACK", until: deadline)
        #expect(try await Set(registry.confirm(claims).keys) == Set(claims.keys))
        await other.close()
    }

    /// Eight claims. The account of the sixth owner is locked by another session.
    private struct Blocked {
        let registry: Registry
        let claims: [Claim]
        private let other: Connection
        private let deadline = ContinuousClock.now + .seconds(120)

        init() async throws {
            let database = try await TestCluster.shared.freshDatabase()
            registry = try Registry(pool: patientPool(database), policy: .unlimited)
            claims = try (10..<18).map { number in
                Claim(distinctName(number), for: try owner("owner-\(number)"), Registry.testCause)
            }
            _ = try await registry.claim(distinctName(5), for: owner("owner-15"))
            other = try await Connection.open(database, until: deadline)
            try await other.run(
                script: "BEGIN; UPDATE owners SET changed_at = changed_at WHERE id = 'owner-15'", until: deadline)
        }

        /// Waits until the claims before the blocked one are made.
        func claimsBeforeAreMade() async throws {
            try await eventually("the claims before are made") {
                try await registry.record(of: handle(distinctName(14)))?.state == .claimed
            }
        }

        func unblock() async throws {
            try await other.run(script: "ROLLBACK", until: deadline)
            await other.close()
        }
    }

    /// The claims before the one that has to wait are committed, and keep no locks meanwhile.
    @Test(
        .disabled(
            if: TestCluster.shared.isDistributed, "the workers wait for the lock: docs/decisions/database.md"))
    func claimThatWaitsForALockIsMadeAlone() async throws {
        let blocked = try await Blocked()
        let registry = blocked.registry
        async let claimed = BulkClaim(registry).claim(blocked.claims)
        try await blocked.claimsBeforeAreMade()
        #expect(try await registry.record(of: handle(distinctName(15))) == nil)
        // Their owners can claim in the meantime.
        #expect(try await registry.claim(distinctName(30), for: owner("owner-10")).kind == .done)
        try await blocked.unblock()
        let outcomes = await claimed.outcomes
        #expect(outcomes.map(\.?.kind) == blocked.claims.map { _ in .done })
        #expect(try await discrepancies(registry).isEmpty)
    }

    @Test(
        .disabled(
            if: TestCluster.shared.isDistributed, "the workers wait for the lock: docs/decisions/database.md"))
    func cancelledWorkHasTheOutcomesOfTheClaimsMadeBefore() async throws {
        let blocked = try await Blocked()
        let work = Task { await BulkClaim(blocked.registry).claim(blocked.claims) }
        try await blocked.claimsBeforeAreMade()
        work.cancel()
        let claimed = await work.value
        #expect(claimed.fault is CancellationError)
        let done = [ChangeOutcome.Kind?](repeating: .done, count: 4)
        #expect(claimed.outcomes.prefix(4).map(\.?.kind) == done)
        #expect(claimed.outcomes.suffix(3).map(\.?.kind) == [nil, nil, nil])
        try await blocked.unblock()
        #expect(try await discrepancies(blocked.registry).isEmpty)
    }
}
