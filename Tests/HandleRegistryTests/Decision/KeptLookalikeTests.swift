import HandleRegistry
import HandleRules
import HandleWords
import TestSupport
import Testing

/// Look-alikes of a name that is held or in quarantine.
@Suite(.consistent) struct KeptLookalikeTests {
    private func expectRefusal(_ registry: Registry, _ name: String) async throws {
        #expect(try await registry.claim(name, for: owner("stranger")).kind == .refused(.lookalike))
        #expect(try await registry.hold(name, for: owner("stranger")).kind == .refused(.lookalike))
        let availability = try await registry.availability(of: name)
        #expect(availability.decision.reasons.map(\.code) == [.lookalike])
        let key = LookalikeKey(try handle(name))
        #expect(!availability.suggestions.contains { LookalikeKey($0.handle) == key })
        // A check of several names uses another query.
        #expect(try await registry.decisions(about: [name, "zebra_one"])[0].reasons.map(\.code) == [.lookalike])
    }

    @Test func lookalikeIsRefusedToOthersUntilTheHoldOrQuarantineEnds() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.hold("acme", for: owner("one"))
        try await expectRefusal(registry, "4cme")
        try await registry.release(handle("acme"))
        #expect(try await registry.hold("4cme", for: owner("two")).kind == .done)
        try await registry.release(handle("4cme"))
        _ = try await registry.claim("acme", for: owner("one"))
        #expect(try await registry.availability(of: "4cme").decision.isAvailable)
        try await registry.release(handle("acme"))
        try await expectRefusal(registry, "4cme")
    }

    @Test(.tags(.damaging), arguments: ["held", "quarantined"])
    func lookalikeIsAvailableOnceTheHoldOrQuarantineHasLapsed(_ state: String) async throws {
        let registry = try await freshRegistry()
        if state == "held" {
            _ = try await registry.hold("acme", for: owner("one"))
        } else {
            _ = try await registry.claim("acme", for: owner("one"))
            try await registry.release(handle("acme"))
        }
        try await expectRefusal(registry, "4cme")
        try await registry.execute("UPDATE names SET until = now() WHERE handle = 'acme'")
        #expect(try await registry.decisions(about: ["4cme", "zebra_one"]).allSatisfy(\.isAvailable))
        #expect(try await registry.claim("4cme", for: owner("two")).kind == .done)
    }

    /// The account still has the hold, which has ended since it was written.
    @Test func lookalikeOfAnEndedHoldIsRefusedToItsFormerOwner() async throws {
        let registry = try await freshRegistry(policy: Policy())
        let (one, two) = (try owner("one"), try owner("two"))
        _ = try await registry.hold("acme", for: one)
        try await registry.execute(
            """
            UPDATE names SET until = now() WHERE handle = 'acme';
            UPDATE owners SET hold_ends = ARRAY[now()]
            """)
        #expect(try await registry.hold("acme", for: two).kind == .done)
        let claim = Claim("4cme", for: one, Registry.testCause)
        let refused = ChangeOutcome.Kind.refused(.lookalike)
        #expect(try await registry.availability(of: "4cme", for: one).decision.reasons.map(\.code) == [.lookalike])
        #expect(await BulkClaim(registry, isDryRun: true).claim([claim]).outcomes.map(\.?.kind) == [refused])
        #expect(await BulkClaim(registry).claim([claim]).outcomes.map(\.?.kind) == [refused])
    }

    /// The owner can't be confused with another owner, and people often choose between two spellings while they type.
    @Test func lookalikeIsAvailableToTheOwnerOfTheHoldOrQuarantine() async throws {
        let registry = try await freshRegistry()
        let one = try owner("one")
        _ = try await registry.hold("acme", for: one)
        #expect(try await registry.availability(of: "4cme", for: one).decision.isAvailable)
        #expect(try await registry.decisions(about: ["4cme", "zebra_one"], for: one).allSatisfy(\.isAvailable))
        let claim = Claim("4cme", for: one, Cause(by: Cause.Actor("test", .admin)))
        let dryRun = await BulkClaim(registry, isDryRun: true).claim([claim])
        #expect(dryRun.outcomes.map(\.?.kind) == [.done])
        #expect(try await registry.hold("4cme", for: one).kind == .done)
        #expect(try await registry.claim("acme", for: one).kind == .done)
        try await registry.release(handle("acme"))
        #expect(try await registry.claim("acm3", for: one).kind == .done)
        _ = try await registry.claim("zebra_one", for: one)
        #expect(try await registry.rename(handle("zebra_one"), to: "a_cme", for: one).kind == .done)
        #expect(try await registry.claim("ac_me", for: owner("two")).kind == .refused(.lookalike))
        // The quarantine of another owner still refuses its look-alikes.
        let two = try owner("two")
        _ = try await registry.claim("johndoe", for: two)
        try await registry.release(handle("johndoe"))
        #expect(try await registry.claim("j0hndoe", for: one).kind == .refused(.lookalike))
    }

    @Test func lookalikeOfAHoldCanBeReservedAndTheHeldNameIsReported() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.hold("acme", for: owner("one"))
        let reserved = try await registry.reserveAndReport("4cme", Reservation(reason: "trademark"))
        #expect(reserved.outcome.kind == .done && reserved.lookalikes.map(\.description) == ["acme"])
        // The holder keeps the held name.
        #expect(try await registry.claim("acme", for: owner("one")).kind == .done)
    }

    /// Of concurrent holds of look-alikes only the first succeeds.
    @Test(.timeLimit(.minutes(5))) func concurrentHoldsOfLookalikesHaveOneWinner() async throws {
        let registry = try await freshRegistry()
        for round in ["f", "h", "j", "k"] {
            let names = ["acme\(round)", "4cme\(round)", "acm3\(round)", "a_cme\(round)"]
            let outcomes = try await race(16) { racer in
                try await registry.hold(names[racer % 4], for: owner("\(round)-\(racer)")).kind
            }.counts
            #expect(outcomes[.done] == 1, "\(outcomes)")
        }
    }
}
