import HandleRules
import TestSupport
import Testing

@testable import HandleRegistry

@Suite(.consistent) struct RenameTests {
    @Test func renamePutsTheOldNameIntoQuarantineForItsOwner() async throws {
        let registry = try await freshRegistry(policy: Policy())
        _ = try await registry.claim("old_name", for: owner("one"))
        let renamed = try await registry.rename(handle("old_name"), to: "Later_Name", for: owner("one"))
        let record = try #require(renamed.made)
        #expect(record.display.description == "Later_Name")
        #expect(record.owner?.id == "one")
        #expect(try await registry.claim("old_name", for: owner("two")).kind == .refused(.taken))
        #expect(try await registry.rename(handle("old_name"), to: "later_name", for: owner("one")).kind == .already)
        // A rename back is a rename too.
        #expect(try await registry.rename(handle("later_name"), to: "old_name", for: owner("one")).kind == .done)
        #expect(try await registry.record(of: handle("later_name"))?.state == .quarantined)
    }

    @Test func renameRequiresTheOwnersNameAndAnAvailableTarget() async throws {
        let registry = try await freshRegistry(policy: Policy())
        _ = try await registry.claim("mine_mine", for: owner("one"))
        _ = try await registry.claim("theirs", for: owner("two"))
        #expect(try await registry.rename(handle("theirs"), to: "stolen", for: owner("one")).kind == .notOwner)
        #expect(try await registry.rename(handle("nobodys"), to: "stolen", for: owner("one")) == .refused(.notClaimed))
        #expect(
            try await registry.rename(handle("mine_mine"), to: "theirs", for: owner("one")).kind == .refused(.taken))
        #expect(
            try await registry.rename(handle("mine_mine"), to: "adm1n", for: owner("one")).kind
                == .refused(.reservedWord))
        #expect(
            try await registry.rename(handle("mine_mine"), to: "x", for: owner("one")).kind == .refused(.tooShort))
        #expect(try await registry.record(of: handle("mine_mine"))?.version == 1)
    }

    @Test func renameOfCapitalsOnlyIsAlwaysAllowed() async throws {
        let registry = try await freshRegistry(policy: Policy())
        _ = try await registry.claim("johndoe", for: owner("one"))
        #expect(try await registry.rename(handle("johndoe"), to: "JohnDoe", for: owner("one")).kind == .done)
        #expect(try await registry.record(of: handle("johndoe"))?.display.description == "JohnDoe")
        #expect(try await registry.rename(handle("johndoe"), to: "JohnDoe", for: owner("one")).kind == .already)
        #expect(try await registry.rename(handle("johndoe"), to: "JOHNDOE", for: owner("two")).kind == .notOwner)
        #expect(try await registry.history(of: handle("johndoe")).map(\.action) == [.claimed, .recased])
    }

    @Test func crossingRenamesLeaveEachOwnerWithOneName() async throws {
        let registry = try await freshRegistry(policy: Policy())
        // No name of a round looks like a name that an earlier round put into quarantine.
        for round in ["fh", "fj", "fk", "fp", "hf", "hj", "hk", "hp", "jf", "jh", "jk", "jp"] {
            let names = ["x\(round)_one", "x\(round)_two", "x\(round)_three"]
            let owners = try (0..<3).map { try owner("owner-\(round)-\($0)") }
            for (name, owner) in zip(names, owners) { _ = try await registry.claim(name, for: owner) }
            // Each owner wants the name of the next owner, concurrently and three times.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for attempt in 0..<9 {
                    let index = attempt % 3
                    group.addTask {
                        _ = try await registry.rename(
                            handle(names[index]), to: names[(index + 1) % 3], for: owners[index])
                        _ = try await registry.rename(
                            handle(names[index]), to: "x\(round)_new\(index)", for: owners[index])
                    }
                }
                try await group.waitForAll()
            }
            for owner in owners { #expect(try await registry.records(of: owner).count == 1) }
        }
    }
}
