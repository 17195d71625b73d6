import HandleRegistry
import HandleRules
import TestSupport
import Testing

/// Assignments of handles that look like other protected ones.
@Suite(.consistent) struct AssignLookalikeTests {
    private func reserve(_ name: String, for id: String?, _ registry: Registry, allowing: Bool = false) async throws {
        let reservation = Reservation(reason: "series", owner: try id.map(owner))
        #expect(try await registry.reserve(name, reservation, allowingLookalike: allowing).kind == .done)
    }

    private func assign(
        _ name: String, to id: String, allowing: Bool = false, _ registry: Registry
    ) async throws -> ChangeOutcome {
        try await registry.perform(
            Assign(name, to: owner(id), allowingLookalike: allowing, Registry.testCause))
    }

    /// The conflict shows when the second owner gets its handle, and names the first handle.
    @Test func seriesOfTheOperatorGoesToOneOwnerOnly() async throws {
        let registry = try await freshRegistry()
        for name in ["acme", "ac_me", "a_cme"] { try await reserve(name, for: nil, registry) }
        #expect(try await assign("acme", to: "one", registry).kind == .done)
        #expect(try await assign("ac_me", to: "one", registry).kind == .done)
        let refused = try await assign("a_cme", to: "two", registry)
        guard case .refused(.decision(let decision)) = refused else {
            Issue.record("\(refused)")
            return
        }
        #expect(decision.reasons == [.lookalike(of: try handle("acme"))])
        #expect(try await registry.record(of: handle("a_cme"))?.state == .reserved)
        #expect(try await assign("a_cme", to: "two", allowing: true, registry).kind == .done)
        #expect(try await registry.history(of: handle("a_cme")).map(\.related) == ["acme", "acme"])
        // Repetitions succeed without the permission.
        #expect(try await assign("a_cme", to: "two", registry).kind == .already)
        #expect(try await assign("acme", to: "one", registry).kind == .already)
        #expect(try await registry.claim("acrne", for: owner("three")).kind == .refused(.lookalike))
    }

    /// The first of the protected handles has no right of its own against the others.
    @Test func firstHandleOfASeriesIsRefusedIfALaterOneHasAnotherOwner() async throws {
        let registry = try await freshRegistry()
        for name in ["acme", "ac_me"] { try await reserve(name, for: nil, registry) }
        #expect(try await assign("ac_me", to: "two", registry).kind == .done)
        #expect(try await assign("acme", to: "one", registry).kind == .refused(.lookalike))
        #expect(try await assign("acme", to: "one", allowing: true, registry).kind == .done)
    }

    /// The handles of a deleted owner are the operator's.
    @Test func seriesOfADeletedOwnerGoesToOneOwnerOnly() async throws {
        let registry = try await freshRegistry()
        for name in ["acme", "ac_me"] { try await reserve(name, for: "gone", registry) }
        _ = try await registry.forget(owner("gone"), Registry.testCause)
        #expect(try await registry.reserve("a_cme", Reservation(reason: "ours")).kind == .done)
        #expect(try await assign("acme", to: "one", registry).kind == .done)
        for name in ["ac_me", "a_cme"] {
            #expect(try await assign(name, to: "two", registry).kind == .refused(.lookalike))
        }
    }

    /// The owner could claim it too, and an admin has allowed it before.
    @Test func promisedHandleIsAssignedInSpiteOfItsLookalike() async throws {
        let registry = try await freshRegistry()
        try await reserve("acme", for: "one", registry)
        try await reserve("ac_me", for: "two", registry, allowing: true)
        try await reserve("a_cme", for: nil, registry, allowing: true)
        #expect(try await assign("ac_me", to: "two", registry).kind == .done)
        #expect(try await assign("a_cme", to: "three", registry).kind == .refused(.lookalike))
        // Another owner than the promised one may take the first handle only with the permission.
        #expect(try await assign("acme", to: "three", registry).kind == .refused(.lookalike))
        #expect(try await assign("acme", to: "three", allowing: true, registry).kind == .done)
    }

    /// Look-alikes in use that are not protected stay with their owners, as they do at the reservation.
    @Test func handleInUseThatIsNotProtectedIsNoObstacle() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("acrne", for: owner("two"))
        _ = try await registry.hold("4cme", for: owner("three"))
        try await reserve("acme", for: nil, registry)
        // The owner's own look-alikes and the operator's are not among those of others.
        try await reserve("acm3", for: "one", registry, allowing: true)
        try await reserve("ac_me", for: nil, registry, allowing: true)
        #expect(try await registry.claim("acm3", for: owner("one")).kind == .done)
        try await registry.release(handle("acm3"))
        let lookalikes = try await registry.lookalikes(of: handle("acme"), besidesThoseOf: owner("one"))
        #expect(lookalikes.map(\.handle.description) == ["4cme", "acrne"])
        #expect(try await assign("acme", to: "one", registry).kind == .done)
    }

    /// A handle that the operator keeps is no obstacle for another one that it keeps, and one for all others.
    @Test func freeOrClaimedLookalikeOfAReservedHandleNeedsThePermission() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("acrne", for: owner("two"))
        try await reserve("acme", for: nil, registry)
        for name in ["acrne", "4cme"] {
            #expect(try await assign(name, to: "one", registry).kind == .refused(.lookalike))
            #expect(try await assign(name, to: "one", allowing: true, registry).kind == .done)
        }
    }

    /// The first handle gets its owner while the second waits for the lock of the key.
    @Test(.timeLimit(.minutes(5)), .tags(.damaging), arguments: [["acme"], ["acme", "a_cme"]])
    func ownerOfTheFirstHandleIsReadAfterTheLocks(_ others: [String]) async throws {
        let registry = try await freshRegistry()
        for name in others + ["ac_me"] { try await reserve(name, for: nil, registry) }
        let session = try await LockingSession("names", by: "key", where: "place = 0", on: registry.database)
        async let assigning = assign("ac_me", to: "two", registry)
        try await eventually("the assignment waits") { try await registry.waitingForLocks() == 1 }
        try await session.letGo(
            after: "UPDATE names SET state = 'c', owner = 'one', reason = NULL WHERE handle = 'acme'")
        #expect(try await assigning.kind == .refused(.lookalike))
    }

    @Test(.timeLimit(.minutes(5))) func concurrentAssignmentsOfASeriesHaveOneOwner() async throws {
        let registry = try await freshRegistry()
        for round in ["f", "h", "j", "k", "p", "u", "x"] {
            let series = ["acme\(round)", "4cme\(round)", "acm3\(round)", "a_cme\(round)"]
            for name in series { try await reserve(name, for: nil, registry) }
            let outcomes = try await race(16) { racer in
                try await assign(series[racer % 4], to: "\(round)-\(racer)", registry).kind
            }.counts
            #expect(outcomes[.done] == 1)
        }
    }
}
