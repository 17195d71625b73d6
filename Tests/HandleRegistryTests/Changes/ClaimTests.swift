import HandleRegistry
import HandleRules
import TestSupport
import Testing

@Suite struct ClaimTests {
    @Test func claimGivesANameToItsFirstOwnerOnly() async throws {
        let registry = try await freshRegistry()
        #expect(try await registry.claim("JohnDoe", for: owner("one")).kind == .done)
        for spelling in ["johndoe", "JOHNDOE", "@JohnDoe", "ｊｏｈｎｄｏｅ"] {
            #expect(try await registry.claim(spelling, for: owner("two")).kind == .refused(.taken))
        }
        let record = try #require(try await registry.record(of: handle("johndoe")))
        #expect(record.owner?.id == "one")
        #expect(record.display.description == "JohnDoe")
        #expect(record.state == .claimed)
    }

    @Test func repeatedClaimSucceedsAndChangesNothing() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("JohnDoe", for: owner("one"))
        let before = try await registry.record(of: handle("johndoe"))
        #expect(try await registry.claim("JOHNdoe", for: owner("one")).kind == .already)
        #expect(try await registry.record(of: handle("johndoe")) == before)
    }

    @Test(arguments: ["ab", "_abc", "12345", "a-b-c", "admin", "adm1n", "real_admin", "admin1", ""])
    func claimRefusesAnInvalidOrReservedName(_ name: String) async throws {
        let registry = try await freshRegistry()
        let decision = Decision.decide(name, registry.words)
        #expect(!decision.reasons.isEmpty)
        #expect(try await registry.claim(name, for: owner("one")) == .refused(.decision(decision)))
    }

    @Test func concurrentClaimsOfOneNameHaveOneWinner() async throws {
        let registry = try await freshRegistry()
        for round in 0..<40 {
            let spellings = ["race_\(round)", "Race_\(round)", "RACE_\(round)", "ｒａｃｅ_\(round)", "@race_\(round)"]
            let outcomes = try await withThrowingTaskGroup(of: ChangeOutcome.Kind.self) { group in
                for racer in 0..<32 {
                    group.addTask {
                        try await registry.claim(spellings[racer % 5], for: owner("racer-\(racer)")).kind
                    }
                }
                return try await group.reduce(into: [ChangeOutcome.Kind: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(outcomes == [.done: 1, .refused(.taken): 31])
        }
    }

    @Test func releasedNameIsQuarantinedAndOnlyItsFormerOwnerMayClaimIt() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("johndoe", for: owner("one"))
        let released = try await registry.release(handle("johndoe"))
        #expect(released.kind == .done && released.record?.state == .quarantined)
        #expect(try await registry.claim("johndoe", for: owner("two")).kind == .refused(.taken))
        let record = try #require(released.record)
        #expect(try await registry.release(handle("johndoe")) == .already(record))
        #expect(try await registry.claim("johndoe", for: owner("one")).kind == .done)
        #expect(try await registry.record(of: handle("johndoe"))?.version == 3)
    }

    @Test func releasedNameIsFreeAtOnceWithoutQuarantine() async throws {
        var policy = Policy.unlimited
        policy.quarantine = .zero
        let registry = try await freshRegistry(policy: policy)
        _ = try await registry.claim("johndoe", for: owner("one"))
        _ = try await registry.release(handle("johndoe"))
        #expect(try await registry.record(of: handle("johndoe")) == nil)
        #expect(try await registry.release(handle("johndoe")) == .refused(.notClaimed))
        #expect(try await registry.claim("johndoe", for: owner("two")).kind == .done)
    }

    @Test func recaseChangesOnlyTheCapitalsOfAClaimedName() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("johndoe", for: owner("one"))
        let display = try #require(DisplayHandle("JohnDoe"))
        #expect(try await registry.recase(display)?.display == display)
        #expect(try await registry.recase(display)?.version == 2)
        #expect(try await registry.recase(try #require(DisplayHandle("Nobody"))) == nil)
    }
}
