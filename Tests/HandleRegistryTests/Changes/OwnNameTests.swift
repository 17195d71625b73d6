import HandleRegistry
import HandleRules
import TestSupport
import Testing

/// Operations of an owner on a name that may belong to another owner.
@Suite(.consistent) struct OwnNameTests {
    /// The cause of a change that an owner makes for itself.
    private func cause(_ id: String) throws -> Cause { Cause(by: Cause.Actor("person", .owner(try owner(id)))) }

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
        // Another one has nothing to change.
        #expect(try await registry.recase(display)?.version == 2)
    }

    /// Three owners claim and release one name concurrently: no release ends the claim of another owner.
    @Test func concurrentReleasesNeverEndAClaimOfAnotherOwner() async throws {
        let registry = try await freshRegistry { $0.quarantine = .zero }
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
    }

    @Test func ownerIDsAreComparedByteForByte() throws {
        let (composed, decomposed) = (try owner("jos\u{E9}"), try owner("jose\u{301}"))
        #expect(composed != decomposed && Set([composed, decomposed]).count == 2)
        #expect(try owner("\u{212A}") != owner("K"))
        #expect(try composed == owner("jos\u{E9}"))
    }
}
