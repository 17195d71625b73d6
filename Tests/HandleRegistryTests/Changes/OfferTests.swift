import HandleRegistry
import HandleRules
import TestSupport
import Testing

@Suite(.consistent) struct OfferTests {
    private func offer(
        _ name: String, by one: Owner, _ registry: Registry
    ) async throws -> String {
        let outcome = try await registry.perform(Offer(handle(name), by: one, Registry.cause(of: one)))
        return try #require(outcome.record?.offer?.secret)
    }

    private func claim(
        _ name: String, for owner: Owner, with secret: String, _ registry: Registry
    ) async throws -> ChangeOutcome.Kind {
        try await registry.perform(Claim(name, for: owner, hold: secret, Registry.cause(of: owner))).kind
    }

    @Test func offeredNameGoesToTheHolderOfTheSecret() async throws {
        let registry = try await freshRegistry(policy: Policy())
        let (one, two, three) = (try owner("one"), try owner("two"), try owner("three"))
        _ = try await registry.claim("JohnDoe", for: one)
        let secret = try await offer("johndoe", by: one, registry)
        #expect(try await claim("johndoe", for: two, with: "offer_guessed", registry) == .refused(.taken))
        #expect(try await claim("johndoe", for: two, with: secret, registry) == .done)
        #expect(try await claim("johndoe", for: two, with: secret, registry) == .already)
        #expect(try await claim("johndoe", for: three, with: secret, registry) == .refused(.taken))
        let history = try await registry.history(of: handle("johndoe"))
        #expect(history.map(\.action) == [.claimed, .offered, .claimed])
        #expect(history.map(\.ownerID?.id) == ["one", "one", "two"])
        // The former owner has no right on it, and room for another name.
        #expect(try await registry.claim("johndoe", for: one).kind == .refused(.taken))
        #expect(try await registry.claim("janedoe", for: one).kind == .done)
    }

    enum Ending: CaseIterable { case secondOffer, rename, release, assign, lapse }

    @Test(arguments: Ending.allCases) func offerEnds(_ ending: Ending) async throws {
        let registry = try await freshRegistry()
        let (one, two) = (try owner("one"), try owner("two"))
        _ = try await registry.claim("johndoe", for: one)
        let secret = try await offer("johndoe", by: one, registry)
        // New capitals leave it.
        _ = try await registry.recase(#require(DisplayHandle("JohnDoe")))
        #expect(try await registry.record(of: handle("johndoe"))?.offer?.secret == secret)
        switch ending {
        case .secondOffer: #expect(try await offer("johndoe", by: one, registry) != secret)
        case .rename: _ = try await registry.rename(handle("johndoe"), to: "janedoe", for: one)
        case .release: try await registry.release(handle("johndoe"))
        case .assign: _ = try await registry.perform(Assign("johndoe", to: owner("org"), Registry.testCause))
        case .lapse: try await registry.execute("UPDATE names SET offer_end = now()")
        }
        #expect(try await claim("johndoe", for: two, with: secret, registry) == .refused(.taken))
    }

    @Test func onlyTheOwnerOffersAName() async throws {
        let registry = try await freshRegistry()
        let (one, two) = (try owner("one"), try owner("two"))
        _ = try await registry.claim("johndoe", for: one)
        _ = try await registry.hold("held_name", for: one)
        for (name, by, kind) in [
            ("johndoe", two, ChangeOutcome.Kind.notOwner), ("nobodys", one, .notClaimed),
            ("held_name", one, .notClaimed),
        ] {
            #expect(try await registry.perform(Offer(handle(name), by: by, Registry.cause(of: by))).kind == kind)
        }
    }

    /// The rules are the same as for a claim.
    @Test func offeredNameIsRefusedToAnOwnerThatCanHaveNoFurtherOne() async throws {
        let registry = try await freshRegistry(policy: Policy())
        let (one, two, three) = (try owner("one"), try owner("two"), try owner("three"))
        _ = try await registry.claim("johndoe", for: one)
        _ = try await registry.claim("janedoe", for: two)
        _ = try await registry.lock(three, until: nil, Registry.testCause)
        let secret = try await offer("johndoe", by: one, registry)
        #expect(try await claim("johndoe", for: two, with: secret, registry) == .refused(.ownerFull))
        #expect(try await claim("johndoe", for: three, with: secret, registry) == .refused(.ownerLocked))
        #expect(try await registry.record(of: handle("johndoe"))?.owner == one)
    }

    @Test func offeredNameHasOneWinner() async throws {
        let registry = try await freshRegistry()
        for round in 0..<10 {
            let (name, one) = ("name_\(round)x", try owner("giver-\(round)"))
            _ = try await registry.claim(name, for: one)
            let secret = try await offer(name, by: one, registry)
            let kinds = try await race(8) { racer in
                try await claim(name, for: owner("racer-\(round)-\(racer)"), with: secret, registry)
            }.counts
            #expect(kinds == [.done: 1, .refused(.taken): 7])
        }
    }
}
