import Foundation
import HandleRules
import TestSupport
import Testing

@testable import HandleRegistry

@Suite(.consistent) struct QuarantineTests {
    @Test func ownerWithThreeNamesInQuarantineGetsNoFurtherOne() async throws {
        let registry = try await freshRegistry(policy: Policy())
        let one = try owner("one")
        _ = try await registry.claim("name_0x", for: one)
        for number in 1...3 {
            let outcome = try await registry.rename(handle("name_\(number - 1)x"), to: "name_\(number)x", for: one)
            #expect(outcome.kind == .done)
        }
        let refused = try await registry.rename(handle("name_3x"), to: "name_4x", for: one)
        #expect(refused.kind == .refused(.tooManyChanges))
        let first = try #require(try await registry.record(of: handle("name_0x"))?.until)
        guard case .refused(let refusal) = refused, case .tooManyChanges(let until)? = refusal.reasons.first else {
            Issue.record("\(refused)")
            return
        }
        #expect(until == Int64(first.timeIntervalSince1970.rounded(.up)))
        // A check for the owner says it before; one for a new owner does not.
        #expect(try await registry.availability(of: "name_4x", for: one).decision.reasons == refusal.reasons)
        #expect(try await registry.availability(of: "name_4x").decision.isAvailable)
        // The ways back and new capitals are open, and each keeps the number.
        for (old, new) in [
            ("name_3x", "name_0x"), ("name_0x", "name_2x"), ("name_2x", "Name_2X"), ("name_2x", "name_3x"),
        ] {
            #expect(try await registry.rename(handle(old), to: new, for: one).kind == .done, "\(new)")
        }
        // A release is possible too, and makes a fourth. Nothing leaves quarantine before its time.
        #expect(try await registry.release(handle("name_3x")).kind == .done)
        #expect(try await registry.claim("name_4x", for: one).kind == .refused(.tooManyChanges))
        #expect(try await registry.hold("name_4x", for: one).kind == .refused(.tooManyChanges))
        for number in 0...3 {
            let record = try await registry.record(of: handle("name_\(number)x"))
            #expect(record?.state == .quarantined)
            #expect(try await registry.claim("name_\(number)x", for: owner("two")).kind == .refused(.taken))
        }
        #expect(try await registry.claim("name_1x", for: one).kind == .done)
    }

    @Test func ownerGetsAFurtherNameOnceOneOfTheQuarantinedIsFree() async throws {
        let one = try owner("one")
        for isFreed in [true, false] {
            let registry = try await freshRegistry {
                $0.quarantine = isFreed ? .seconds(3600) : .milliseconds(50)
                $0.keptNames = 1
            }
            _ = try await registry.claim("first_name", for: one)
            try await registry.release(handle("first_name"))
            if isFreed {
                #expect(try await registry.claim("second_name", for: one).kind == .refused(.tooManyChanges))
                let freed = try await registry.perform(Release(handle("first_name"), atOnce: true, Registry.testCause))
                #expect(freed.record?.state == .free)
            }
            while try await registry.record(of: handle("first_name")) != nil { await Task.yield() }
            #expect(try await registry.claim("second_name", for: one).kind == .done)
        }
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
