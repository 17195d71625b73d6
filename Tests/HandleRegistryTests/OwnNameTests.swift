import HandleCore
import HandleRegistry
import TestSupport
import Testing

/// Operations of an owner on a name that may belong to another owner.
@Suite struct OwnNameTests {
    private let cause = Cause(actor: "person")

    @Test func ownerCanReleaseOnlyTheirOwnName() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("johndoe", for: owner("one"))
        _ = try await registry.hold("held_name", for: owner("one"))
        _ = try await registry.reserve("promised", Reservation(reason: "test", owner: owner("one")))
        func release(_ name: String, _ id: String) async throws -> String {
            word(try await registry.perform(Release(handle(name), by: .owner(owner(id)), cause)))
        }
        for name in ["johndoe", "held_name", "promised"] { #expect(try await release(name, "two") == "not theirs") }
        #expect(try await release("promised", "one") == "not theirs")
        #expect(try await release("nobodys", "one") == "not found")
        #expect(try await release("johndoe", "one") == "released")
        #expect(try await release("johndoe", "one") == "already")
        #expect(try await release("johndoe", "two") == "not theirs")
        #expect(try await release("held_name", "one") == "released")
        #expect(try await release("held_name", "one") == "not found")
    }

    @Test func ownerCanRecaseOnlyTheirOwnName() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("johndoe", for: owner("one"))
        let display = try #require(DisplayHandle("JohnDoe"))
        guard case .notTheirs = try await registry.perform(Recase(display, by: owner("two"), cause)) else {
            Issue.record("recased by another")
            return
        }
        let recase = Recase(display, by: try owner("one"), cause)
        // The same operation, repeated, finds its own change.
        for _ in 0..<2 {
            guard case .recased(let record) = try await registry.perform(recase) else {
                Issue.record("not recased")
                return
            }
            #expect(record.version == 2)
        }
        #expect(word(try await registry.rename(handle("johndoe"), to: "JOHNDOE", for: owner("two"))) == "not theirs")
        #expect(word(try await registry.rename(handle("johndoe"), to: "JOHNDOE", for: owner("one"))) == "renamed")
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
                        guard case .taken(let taken) = outcome else {
                            // Another owner has the name, or had it a moment ago.
                            _ = try await registry.perform(Release(name, by: .owner(owner(id)), cause))
                            continue
                        }
                        // Only this owner can end the claim.
                        let released = try await registry.perform(Release(name, by: .owner(owner(id)), cause))
                        guard case .released(let record) = released else {
                            Issue.record("\(id): \(word(released)) after version \(taken.version)")
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
