import HandleCore
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
            if: TestCluster.shared.isDistributed, "the workers wait for the lock, not the coordinator: DESIGN.md, 31"))
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

    /// The claims before the one that has to wait are committed, and keep no locks meanwhile.
    @Test(
        .disabled(
            if: TestCluster.shared.isDistributed, "the workers wait for the lock, not the coordinator: DESIGN.md, 31"))
    func claimThatWaitsForALockIsMadeAlone() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let registry = try Registry(pool: patientPool(database), policy: .unlimited)
        _ = try await registry.claim(distinctName(5), for: owner("owner-5"))
        let deadline = ContinuousClock.now + .seconds(120)
        let other = try await Connection.open(database, until: deadline)
        try await other.run(
            script: "BEGIN; UPDATE owners SET changed_at = changed_at WHERE id = 'owner-5'", until: deadline)
        let claims = try (10..<18).map { number in
            Claim(distinctName(number), for: try owner("owner-\(number % 10)"), Registry.testCause)
        }
        async let claimed = BulkClaim(registry).claim(claims)
        try await eventually("the claims before are made") {
            try await registry.record(of: handle(distinctName(14)))?.state == .claimed
        }
        #expect(try await registry.record(of: handle(distinctName(15))) == nil)
        // Their owners can claim in the meantime.
        #expect(try await registry.claim(distinctName(30), for: owner("owner-0")).kind == .done)
        try await other.run(script: "ROLLBACK", until: deadline)
        await other.close()
        let outcomes = await claimed.outcomes
        #expect(outcomes.map(\.?.kind) == claims.map { _ in .done })
        #expect(try await discrepancies(registry).isEmpty)
    }

    @Test(
        .disabled(
            if: TestCluster.shared.isDistributed, "the workers wait for the lock, not the coordinator: DESIGN.md, 31"))
    func cancelledWorkHasTheOutcomesOfTheClaimsMadeBefore() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let registry = try Registry(pool: patientPool(database), policy: .unlimited)
        _ = try await registry.claim(distinctName(5), for: owner("owner-5"))
        let deadline = ContinuousClock.now + .seconds(120)
        let other = try await Connection.open(database, until: deadline)
        try await other.run(
            script: "BEGIN; UPDATE owners SET changed_at = changed_at WHERE id = 'owner-5'", until: deadline)
        let claims = try (10..<18).map { number in
            Claim(distinctName(number), for: try owner("owner-\(number % 10)"), Registry.testCause)
        }
        let work = Task { await BulkClaim(registry).claim(claims) }
        try await eventually("the claims before are made") {
            try await registry.record(of: handle(distinctName(14)))?.state == .claimed
        }
        work.cancel()
        let claimed = await work.value
        #expect(claimed.fault is CancellationError)
        let done = [ChangeOutcome.Kind?](repeating: .done, count: 4)
        #expect(claimed.outcomes.prefix(4).map(\.?.kind) == done)
        #expect(claimed.outcomes.suffix(3).map(\.?.kind) == [nil, nil, nil])
        try await other.run(script: "ROLLBACK", until: deadline)
        await other.close()
        #expect(try await discrepancies(registry).isEmpty)
    }
}
