import HandleRules
import Postgres
import TestSupport
import Testing

@testable import HandleRegistry

@Suite(.consistent) struct BulkClaimTests {
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
    }

    /// The other transaction may take the name from its owner. So the name is left out, without a long lock wait.
    @Test(.notOnCitus("the workers wait for the lock: docs/decisions/database.md"))
    func confirmLeavesOutANameThatIsBeingChanged() async throws {
        let registry = try await freshRegistry()
        let one = try owner("one")
        for name in ["first_name", "other_name"] { _ = try await registry.claim(name, for: one) }
        let other = try await LockingSession(
            "UPDATE names SET version = 2 WHERE handle = 'first_name'", on: registry.database)
        let claims = [try handle("first_name"): one, try handle("other_name"): one]
        let confirmed = try await registry.confirm([try handle("first_name"): one])
        #expect(confirmed.isEmpty)
        try await other.letGo(after: "ROLLBACK")
        #expect(try await Set(registry.confirm(claims).keys) == Set(claims.keys))
    }

    /// Eight claims. The account of the sixth owner is locked by another session.
    private struct Blocked {
        let registry: Registry
        let claims: [Claim]
        let other: LockingSession

        init() async throws {
            registry = try await freshRegistry()
            claims = try (10..<18).map { number in
                Claim(distinctName(number), for: try owner("owner-\(number)"), Registry.testCause)
            }
            _ = try await registry.claim(distinctName(5), for: owner("owner-15"))
            other = try await LockingSession(
                "UPDATE owners SET changed_at = changed_at WHERE id = 'owner-15'", on: registry.database)
        }

        /// Waits until the claims before the blocked one are made.
        func claimsBeforeAreMade() async throws {
            try await eventually("the claims before are made") {
                try await registry.record(of: handle(distinctName(14)))?.state == .claimed
            }
        }
    }

    /// The claims before the one that has to wait are committed, and keep no locks meanwhile.
    @Test(.notOnCitus("the workers wait for the lock: docs/decisions/database.md"))
    func claimThatWaitsForALockIsMadeAlone() async throws {
        let blocked = try await Blocked()
        let registry = blocked.registry
        async let claimed = BulkClaim(registry).claim(blocked.claims)
        try await blocked.claimsBeforeAreMade()
        #expect(try await registry.record(of: handle(distinctName(15))) == nil)
        // Their owners can claim in the meantime.
        #expect(try await registry.claim(distinctName(30), for: owner("owner-10")).kind == .done)
        try await blocked.other.letGo()
        let outcomes = await claimed.outcomes
        #expect(outcomes.map(\.?.kind) == blocked.claims.map { _ in .done })
    }

    @Test(.notOnCitus("the workers wait for the lock: docs/decisions/database.md"))
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
        try await blocked.other.letGo()
    }
}
