import HandleCore
import TestSupport
import Testing

@testable import HandleRegistry

@Suite struct RenameTests {
    @Test func putsTheOldNameIntoQuarantineForItsOwner() async throws {
        let registry = try await freshRegistry(policy: Policy())
        _ = try await registry.claim("old_name", for: owner("one"))
        guard
            case .renamed(let record) = try await registry.rename(
                handle("old_name"), to: "Later_Name", for: owner("one"))
        else {
            Issue.record("not renamed")
            return
        }
        #expect(record.display.description == "Later_Name")
        #expect(record.owner?.id == "one")
        #expect(word(try await registry.claim("old_name", for: owner("two"))) == "refused: taken")
        #expect(word(try await registry.rename(handle("old_name"), to: "later_name", for: owner("one"))) == "already")
        // Back again, which is a rename as well.
        #expect(word(try await registry.rename(handle("later_name"), to: "old_name", for: owner("one"))) == "renamed")
        #expect(try await registry.record(of: handle("later_name"))?.state == .quarantined)
        #expect(try await discrepancies(registry).isEmpty)
    }

    @Test func isForTheOwnerOnlyAndForWhatCanBeHad() async throws {
        let registry = try await freshRegistry(policy: Policy())
        _ = try await registry.claim("mine_mine", for: owner("one"))
        _ = try await registry.claim("theirs", for: owner("two"))
        #expect(word(try await registry.rename(handle("theirs"), to: "stolen", for: owner("one"))) == "not theirs")
        #expect(word(try await registry.rename(handle("nobodys"), to: "stolen", for: owner("one"))) == "not theirs")
        #expect(
            word(try await registry.rename(handle("mine_mine"), to: "theirs", for: owner("one"))) == "refused: taken")
        #expect(
            word(try await registry.rename(handle("mine_mine"), to: "adm1n", for: owner("one")))
                == "refused: reserved_word")
        #expect(
            word(try await registry.rename(handle("mine_mine"), to: "x", for: owner("one"))) == "refused: too_short")
        #expect(try await registry.record(of: handle("mine_mine"))?.version == 1)
    }

    @Test func ofCapitalsOnlyIsAlwaysAllowed() async throws {
        let registry = try await freshRegistry(policy: Policy())
        _ = try await registry.claim("johndoe", for: owner("one"))
        #expect(word(try await registry.rename(handle("johndoe"), to: "JohnDoe", for: owner("one"))) == "renamed")
        #expect(try await registry.record(of: handle("johndoe"))?.display.description == "JohnDoe")
        #expect(word(try await registry.rename(handle("johndoe"), to: "JohnDoe", for: owner("one"))) == "already")
        #expect(word(try await registry.rename(handle("johndoe"), to: "JOHNDOE", for: owner("two"))) == "not theirs")
        #expect(try await registry.history(of: handle("johndoe")).map(\.action) == [.claimed, .recased])
        #expect(try await discrepancies(registry).isEmpty)
    }

    @Test func thatCrossOrChaseEachOtherLoseNothing() async throws {
        let registry = try await freshRegistry(policy: Policy())
        // Nothing of one round looks like what is in quarantine since another.
        for round in ["fh", "fj", "fk", "fp", "hf", "hj", "hk", "hp", "jf", "jh", "jk", "jp"] {
            let names = ["x\(round)_one", "x\(round)_two", "x\(round)_three"]
            let owners = try (0..<3).map { try owner("owner-\(round)-\($0)") }
            for (name, owner) in zip(names, owners) { _ = try await registry.claim(name, for: owner) }
            // Each wants the next one's name, all at the same time and several times.
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
        #expect(try await discrepancies(registry).isEmpty)
    }
}

@Suite struct QuarantineTests {
    @Test func keepsThreeNamesForAnOwnerAndFreesTheOldest() async throws {
        let registry = try await freshRegistry(policy: Policy())
        _ = try await registry.claim("name_0x", for: owner("one"))
        for number in 1...5 {
            let outcome = try await registry.rename(
                handle("name_\(number - 1)x"), to: "name_\(number)x", for: owner("one"))
            #expect(word(outcome) == "renamed")
        }
        var states: [State?] = []
        for number in 0...5 { states.append(try await registry.record(of: handle("name_\(number)x"))?.state) }
        #expect(states == [nil, nil, .quarantined, .quarantined, .quarantined, .claimed])
        #expect(word(try await registry.claim("name_0x", for: owner("two"))) == "taken")
        #expect(try await registry.history(of: handle("name_1x")).map(\.action) == [.renamed, .renamed, .displaced])
        #expect(try await discrepancies(registry).isEmpty)
    }

    @Test func keepsAMarkAndNotTheOwner() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let registry = try Registry(pool: patientPool(database), policy: .unlimited)
        let secret = try owner("person-qxzvk")
        for name in ["first_name", "second_name"] { _ = try await registry.claim(name, for: secret) }
        _ = try await registry.reserve("third_name", Reservation(reason: "theirs", owner: secret))
        _ = try await registry.hold("fourth_name", for: secret)
        #expect(try await registry.forget(secret, Registry.testCause).names?.count == 3)
        #expect(try await registry.forget(secret, Registry.testCause).names?.isEmpty == true)
        struct Traces: NumberQuery {
            static let sql = """
                SELECT (SELECT count(*) FROM handles WHERE handles::text LIKE '%qxzvk%')
                    + (SELECT count(*) FROM owners WHERE owners::text LIKE '%qxzvk%')
                    + (SELECT count(*) FROM lookalikes WHERE lookalikes::text LIKE '%qxzvk%')
                    + (SELECT count(*) FROM handle_events WHERE handle_events::text LIKE '%qxzvk%')
                """
        }
        #expect(try await number(Traces(), on: database) == 0)
        #expect(
            try await registry.history(of: handle("first_name")).allSatisfy { $0.ownerID == nil && $0.owner != nil })
        #expect(try await discrepancies(registry).isEmpty)
        // Who comes back within the quarantine is known by the mark.
        #expect(word(try await registry.claim("first_name", for: owner("else"))) == "refused: taken")
        #expect(word(try await registry.claim("first_name", for: secret)) == "taken")
        #expect(try await registry.record(of: handle("third_name"))?.state == .reserved)
        #expect(word(try await registry.claim("third_name", for: secret)) == "refused: taken")
    }

    enum Coming: CaseIterable { case hold, reservation, claim }

    /// What they get at the same moment is found, or it would keep their id for as long as it lasts.
    @Test(arguments: Coming.allCases) func leavesNothingThatComesMeanwhile(_ coming: Coming) async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let registry = try Registry(pool: patientPool(database), policy: .unlimited)
        let gone = try owner("person-qxzvk")
        _ = try await registry.hold("first_name", for: gone)
        try await registry.release(handle("first_name"))
        let session = try await LockingSession("owners", by: "owner", on: database)
        async let taking: Void = {
            switch coming {
            case .hold: _ = try await registry.hold("second_name", for: gone)
            case .reservation:
                _ = try await registry.reserve("second_name", Reservation(reason: "theirs", owner: gone))
            case .claim: _ = try await registry.performAlone(Claim("second_name", for: gone, Registry.testCause))
            }
        }()
        try await eventually("something of theirs waits") { try await waitingForLocks(on: database) == 1 }
        async let forgetting = registry.forget(gone, Registry.testCause)
        try await eventually("the forgetting waits") { try await waitingForLocks(on: database) == 2 }
        try await session.letGo()
        try await taking
        #expect(try await forgetting.names != nil)
        struct Traces: NumberQuery {
            static let sql = """
                SELECT (SELECT count(*) FROM handles WHERE owner LIKE '%qxzvk%')
                    + (SELECT count(*) FROM owners WHERE id LIKE '%qxzvk%')
                """
        }
        #expect(try await number(Traces(), on: database) == 0)
        #expect(try await discrepancies(registry).isEmpty)
    }

    @Test func saysWhenAnOwnerIsNotForgotten() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let registry = try Registry(pool: patientPool(database))
        let gone = try owner("gone")
        _ = try await registry.hold("first_name", for: gone)
        try await execute("UPDATE owners SET claimed = 1", on: database)
        #expect(try await registry.forget(gone, Registry.testCause).names == nil)
        try await execute("UPDATE owners SET claimed = 0", on: database)
        #expect(try await registry.forget(gone, Registry.testCause).names?.isEmpty == true)
    }

    /// What ends while an owner is forgotten may be somebody else's by the time it is given up.
    @Test func takesNothingFromWhoeverComesNext() async throws {
        let registry = try await freshRegistry()
        let (gone, next) = (try owner("gone"), try owner("next"))
        for round in 0..<40 {
            for name in ["a", "b", "c"] { _ = try await registry.claim("\(name)_\(round)x", for: gone) }
            let contested = "z_\(round)x"
            _ = try await registry.hold(contested, for: gone)
            async let forgetting = registry.forget(gone, Registry.testCause)
            _ = try await registry.release(handle(contested))
            let outcome = word(try await registry.claim(contested, for: next))
            _ = try await forgetting
            let record = try await registry.record(of: handle(contested))
            #expect((outcome == "taken") == (record?.owner == next && record?.state == .claimed))
        }
    }

    @Test func endsByItselfAndIsSwept() async throws {
        var policy = Policy.unlimited
        policy.quarantine = .seconds(1)
        let registry = try await freshRegistry(policy: policy)
        for name in ["first_name", "second_name"] {
            _ = try await registry.claim(name, for: owner("one"))
            try await registry.release(handle(name))
        }
        while try await registry.record(of: handle("second_name")) != nil { await Task.yield() }
        // What has ended can be taken without a sweeper, and is tidied up by one.
        #expect(word(try await registry.claim("first_name", for: owner("two"))) == "taken")
        #expect(try await registry.sweep() == 1)
        #expect(try await registry.sweep() == 0)
        #expect(try await registry.history(of: handle("second_name")).map(\.action) == [.claimed, .released, .expired])
        #expect(try await discrepancies(registry).isEmpty)
    }
}
