import HandleRules
import TestSupport
import Testing

@testable import HandleRegistry

@Suite(.consistent) struct QuarantineTests {
    @Test func quarantineKeepsThreeNamesOfAnOwnerAndFreesTheOldest() async throws {
        let registry = try await freshRegistry(policy: Policy())
        _ = try await registry.claim("name_0x", for: owner("one"))
        for number in 1...5 {
            let outcome = try await registry.rename(
                handle("name_\(number - 1)x"), to: "name_\(number)x", for: owner("one"))
            #expect(outcome.kind == .done)
        }
        var states: [Handle.State?] = []
        for number in 0...5 { states.append(try await registry.record(of: handle("name_\(number)x"))?.state) }
        #expect(states == [nil, nil, .quarantined, .quarantined, .quarantined, .claimed])
        #expect(try await registry.claim("name_0x", for: owner("two")).kind == .done)
        #expect(try await registry.history(of: handle("name_1x")).map(\.action) == [.renamed, .renamed, .displaced])
    }

    @Test func quarantineKeepsAMarkInsteadOfTheOwnerID() async throws {
        let registry = try await freshRegistry()
        let secret = try owner("person-qxzvk")
        for name in ["first_name", "second_name"] { _ = try await registry.claim(name, for: secret) }
        _ = try await registry.reserve("third_name", Reservation(reason: "theirs", owner: secret))
        _ = try await registry.hold("fourth_name", for: secret)
        #expect(try await registry.forget(secret, Registry.testCause)?.count == 3)
        #expect(try await registry.forget(secret, Registry.testCause)?.isEmpty == true)
        for table in ["names", "owners", "handle_events"] {
            #expect(try await registry.number("SELECT count(*) FROM \(table) t WHERE t::text LIKE '%qxzvk%'") == 0)
        }
        #expect(
            try await registry.history(of: handle("first_name")).allSatisfy { $0.ownerID == nil && $0.owner != nil })
        #expect(try await discrepancies(registry).isEmpty)
        // A returning owner is recognised by the mark during the quarantine.
        #expect(try await registry.claim("first_name", for: owner("else")).kind == .refused(.taken))
        #expect(try await registry.claim("first_name", for: secret).kind == .done)
        #expect(try await registry.record(of: handle("third_name"))?.state == .reserved)
        #expect(try await registry.claim("third_name", for: secret).kind == .refused(.taken))
    }

    enum Concurrent: CaseIterable { case hold, reservation, claim }

    /// A name that the owner gets at the same moment is found too; otherwise it would keep the owner's id.
    @Test(arguments: Concurrent.allCases)
    func forgettingAnOwnerIncludesTheirConcurrentChanges(_ change: Concurrent) async throws {
        let registry = try await freshRegistry()
        let gone = try owner("person-qxzvk")
        _ = try await registry.hold("first_name", for: gone)
        try await registry.release(handle("first_name"))
        let session = try await LockingSession("owners", by: "owner", on: registry.database)
        async let taking: Void = {
            switch change {
            case .hold: _ = try await registry.hold("second_name", for: gone)
            case .reservation:
                _ = try await registry.reserve("second_name", Reservation(reason: "theirs", owner: gone))
            case .claim: _ = try await registry.writes.write(Claim("second_name", for: gone, Registry.testCause))
            }
        }()
        try await eventually("the change waits for the lock") { try await registry.waitingForLocks() == 1 }
        async let forgetting = registry.forget(gone, Registry.testCause)
        try await eventually("the forget operation waits for the lock") { try await registry.waitingForLocks() == 2 }
        try await session.letGo()
        try await taking
        #expect(try await forgetting != nil)
        #expect(try await registry.number("SELECT count(*) FROM names WHERE owner LIKE '%qxzvk%'") == 0)
        #expect(try await registry.number("SELECT count(*) FROM owners WHERE id LIKE '%qxzvk%'") == 0)
    }

    @Test func ownerIsNotForgottenWhileAClaimIsCounted() async throws {
        let registry = try await freshRegistry(policy: Policy())
        let gone = try owner("gone")
        _ = try await registry.hold("first_name", for: gone)
        try await registry.execute("UPDATE owners SET claimed = 1")
        #expect(try await registry.forget(gone, Registry.testCause) == nil)
        try await registry.execute("UPDATE owners SET claimed = 0")
        #expect(try await registry.forget(gone, Registry.testCause)?.isEmpty == true)
    }

    /// A name that the owner loses during the forget operation may belong to the next owner: it must not be released.
    @Test func forgettingAnOwnerNeverTakesANameOfTheNextOwner() async throws {
        let registry = try await freshRegistry()
        let (gone, next) = (try owner("gone"), try owner("next"))
        for round in 0..<40 {
            for name in ["a", "b", "c"] { _ = try await registry.claim("\(name)_\(round)x", for: gone) }
            let contested = "z_\(round)x"
            _ = try await registry.hold(contested, for: gone)
            async let forgetting = registry.forget(gone, Registry.testCause)
            _ = try await registry.release(handle(contested))
            let outcome = try await registry.claim(contested, for: next).kind
            _ = try await forgetting
            let record = try await registry.record(of: handle(contested))
            #expect((outcome == .done) == (record?.owner == next && record?.state == .claimed))
        }
    }

    @Test func quarantineLapsesAtItsEndAndIsSwept() async throws {
        let registry = try await freshRegistry { $0.quarantine = .seconds(1) }
        for name in ["first_name", "second_name"] {
            _ = try await registry.claim(name, for: owner("one"))
            try await registry.release(handle(name))
        }
        while try await registry.record(of: handle("second_name")) != nil { await Task.yield() }
        // A name can be claimed once its quarantine has ended, even before the sweep. The sweep frees the other one.
        #expect(try await registry.claim("first_name", for: owner("two")).kind == .done)
        #expect(try await registry.sweep() == 1)
        #expect(try await registry.sweep() == 0)
        #expect(try await registry.history(of: handle("second_name")).map(\.action) == [.claimed, .released, .expired])
    }
}
