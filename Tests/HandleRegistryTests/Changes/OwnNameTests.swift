import HandleRegistry
import HandleRules
import TestSupport
import Testing

/// Operations of an owner on a name that may belong to another owner.
@Suite struct OwnNameTests {
    /// The cause of a change that an owner makes for itself.
    private func cause(_ id: String) throws -> Cause { Cause(by: Actor("person", .owner(try owner(id)))) }

    @Test func ownerCanReleaseOnlyTheirOwnName() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("johndoe", for: owner("one"))
        _ = try await registry.hold("held_name", for: owner("one"))
        _ = try await registry.reserve("promised", Reservation(reason: "test", owner: owner("one")))
        func release(_ name: String, _ id: String) async throws -> ChangeOutcome.Kind {
            try await registry.perform(Release(handle(name), cause(id))).kind
        }
        for name in ["johndoe", "held_name", "promised"] { #expect(try await release(name, "two") == .notOwner) }
        #expect(try await release("promised", "one") == .notOwner)
        #expect(try await release("nobodys", "one") == .notClaimed)
        #expect(try await release("johndoe", "one") == .done)
        #expect(try await release("johndoe", "one") == .already)
        #expect(try await release("johndoe", "two") == .notOwner)
        #expect(try await release("held_name", "one") == .done)
        #expect(try await release("held_name", "one") == .notClaimed)
    }

    @Test func ownerCanRecaseOnlyTheirOwnName() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("johndoe", for: owner("one"))
        let display = try #require(DisplayHandle("JohnDoe"))
        let record = try #require(try await registry.record(of: handle("johndoe")))
        #expect(
            try await registry.perform(Recase(display, cause("two"))) == .refused(.notOwner(record)))
        let recase = Recase(display, try cause("one"))
        // The same operation, repeated, finds its own change.
        for _ in 0..<2 {
            let outcome = try await registry.perform(recase)
            #expect(outcome.kind == .done && outcome.record?.version == 2)
        }
        #expect(try await registry.rename(handle("johndoe"), to: "JOHNDOE", for: owner("two")).kind == .notOwner)
        #expect(try await registry.rename(handle("johndoe"), to: "JOHNDOE", for: owner("one")).kind == .done)
    }

    /// Three owners claim and release one name concurrently: no release ends the claim of another owner.
    @Test func concurrentReleasesNeverEndAClaimOfAnotherOwner() async throws {
        var policy = Policy.unlimited
        policy.quarantine = .zero
        let registry = try await freshRegistry(policy: policy)
        let name = try handle("johndoe")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in ["one", "two", "three"] {
                group.addTask {
                    for _ in 0..<40 {
                        let outcome = try await registry.claim("johndoe", for: owner(id))
                        guard case .done(let taken) = outcome else {
                            // Another owner has the name, or had it a moment ago.
                            _ = try await registry.perform(Release(name, cause(id)))
                            continue
                        }
                        // Only this owner can end the claim.
                        let released = try await registry.perform(Release(name, cause(id)))
                        guard case .done(let record) = released else {
                            Issue.record("\(id): \(released) after version \(taken.version)")
                            continue
                        }
                        #expect(record.version == taken.version + 1)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await discrepancies(registry).isEmpty)
    }

    @Test func ownerIDsAreComparedByteForByte() throws {
        let (composed, decomposed) = (try owner("jos\u{E9}"), try owner("jose\u{301}"))
        #expect(composed != decomposed && Set([composed, decomposed]).count == 2)
        #expect(try owner("\u{212A}") != owner("K"))
        #expect(try composed == owner("jos\u{E9}"))
    }
}
