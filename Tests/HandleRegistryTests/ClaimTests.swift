import HandleCore
import HandleRegistry
import TestSupport
import Testing

func owner(_ id: String) throws -> Owner { try #require(Owner(id)) }

func handle(_ text: String) throws -> Handle { try #require(Handle(text)) }

@Suite struct ClaimTests {
    @Test func claimGivesANameToItsFirstOwnerOnly() async throws {
        let registry = try await freshRegistry()
        #expect(word(try await registry.claim("JohnDoe", for: owner("one"))) == "taken")
        for spelling in ["johndoe", "JOHNDOE", "@JohnDoe", "ｊｏｈｎｄｏｅ"] {
            #expect(word(try await registry.claim(spelling, for: owner("two"))) == "refused: taken")
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
        #expect(word(try await registry.claim("JOHNdoe", for: owner("one"))) == "already")
        #expect(try await registry.record(of: handle("johndoe")) == before)
    }

    @Test(arguments: ["ab", "_abc", "12345", "a-b-c", "admin", "adm1n", "real_admin", "admin1", ""])
    func claimRefusesAnInvalidOrReservedName(_ name: String) async throws {
        let registry = try await freshRegistry()
        guard case .refused(let decision) = try await registry.claim(name, for: owner("one")) else {
            Issue.record("claimed \(name)")
            return
        }
        #expect(!decision.reasons.isEmpty)
    }

    @Test func concurrentClaimsOfOneNameHaveOneWinner() async throws {
        let registry = try await freshRegistry()
        for round in 0..<40 {
            let spellings = ["race_\(round)", "Race_\(round)", "RACE_\(round)", "ｒａｃｅ_\(round)", "@race_\(round)"]
            let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
                for racer in 0..<32 {
                    group.addTask {
                        word(try await registry.claim(spellings[racer % 5], for: owner("racer-\(racer)")))
                    }
                }
                return try await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(outcomes == ["taken": 1, "refused: taken": 31])
        }
    }

    @Test func releasedNameIsQuarantinedAndOnlyItsFormerOwnerMayClaimIt() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("johndoe", for: owner("one"))
        guard case .released(let record) = try await registry.release(handle("johndoe")) else {
            Issue.record("not released")
            return
        }
        #expect(record.state == .quarantined)
        #expect(word(try await registry.claim("johndoe", for: owner("two"))) == "refused: taken")
        guard case .already = try await registry.release(handle("johndoe")) else {
            Issue.record("a repeated release was refused")
            return
        }
        #expect(word(try await registry.claim("johndoe", for: owner("one"))) == "taken")
        #expect(try await registry.record(of: handle("johndoe"))?.version == 3)
    }

    @Test func releasedNameIsFreeAtOnceWithoutQuarantine() async throws {
        var policy = Policy.unlimited
        policy.quarantine = .zero
        let registry = try await freshRegistry(policy: policy)
        _ = try await registry.claim("johndoe", for: owner("one"))
        _ = try await registry.release(handle("johndoe"))
        #expect(try await registry.record(of: handle("johndoe")) == nil)
        guard case .notFound = try await registry.release(handle("johndoe")) else {
            Issue.record("released twice")
            return
        }
        #expect(word(try await registry.claim("johndoe", for: owner("two"))) == "taken")
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
