import HandleRegistry
import HandleRules
import TestSupport
import Testing

@Suite(.consistent) struct ClaimTests {
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

    @Test func reservedWordCanBeReservedAndThenClaimedByItsOwner() async throws {
        let registry = try await freshRegistry()
        let reservation = Reservation(reason: "ours", owner: try owner("us"))
        #expect(try await registry.reserve("support", reservation).kind == .done)
        #expect(try await registry.claim("support", for: owner("them")).kind == .refused(.reservedWord, .taken))
        #expect(try await registry.claim("support", for: owner("us")).kind == .done)
        #expect(try await registry.claim("support", for: owner("us")).kind == .already)
    }

    @Test func concurrentClaimsOfOneNameHaveOneWinner() async throws {
        let registry = try await freshRegistry()
        for round in 0..<40 {
            let spellings = ["race_\(round)", "Race_\(round)", "RACE_\(round)", "ｒａｃｅ_\(round)", "@race_\(round)"]
            let outcomes = try await race(32) { racer in
                try await registry.claim(spellings[racer % 5], for: owner("racer-\(racer)")).kind
            }.counts
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
        let registry = try await freshRegistry { $0.quarantine = .zero }
        _ = try await registry.claim("johndoe", for: owner("one"))
        _ = try await registry.release(handle("johndoe"))
        #expect(try await registry.record(of: handle("johndoe")) == nil)
        #expect(try await registry.release(handle("johndoe")) == .refused(.notClaimed))
        #expect(try await registry.claim("johndoe", for: owner("two")).kind == .done)
    }

    @Test func releaseRefusesANameThatHasChangedSinceTheGivenVersion() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("johndoe", for: owner("one"))
        _ = try await registry.recase(#require(DisplayHandle("JohnDoe")))
        func release(ifVersion version: Int64) throws -> Release {
            Release(try handle("johndoe"), if: Precondition(versions: [version]), Registry.testCause)
        }
        #expect(try await registry.perform(release(ifVersion: 1)).kind == .changed)
        #expect(try await registry.record(of: handle("johndoe"))?.state == .claimed)
        // The same operation, repeated, finds its own change.
        let second = try release(ifVersion: 2)
        for _ in 0..<2 { #expect(try await registry.perform(second).kind == .done) }
        #expect(try await registry.perform(release(ifVersion: 2)).kind == .changed)
    }
}
