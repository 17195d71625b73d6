import HandleCore
import HandleRegistry
import TestSupport
import Testing

@Suite struct HoldTests {
    @Test func holdKeepsANameForItsOwner() async throws {
        let registry = try await freshRegistry()
        guard case .held(let hold) = try await registry.hold("Jane", for: owner("one")) else {
            Issue.record("not held")
            return
        }
        #expect(hold.state == .held)
        #expect(hold.hold?.hasPrefix("hold_") == true)
        #expect(word(try await registry.hold("jane", for: owner("two"))) == "refused: taken")
        #expect(word(try await registry.claim("jane", for: owner("two"))) == "refused: taken")
        #expect(word(try await registry.claim("Jane", for: owner("one"))) == "taken")
        #expect(word(try await registry.hold("jane", for: owner("one"))) == "refused: taken")
    }

    @Test func repeatedHoldIsTheSameAndItsEndDoesNotMove() async throws {
        let registry = try await freshRegistry()
        guard case .held(let first) = try await registry.hold("jane", for: owner("one")),
            case .already(let second) = try await registry.hold("JANE", for: owner("one"), duration: .seconds(3600))
        else {
            Issue.record("not held twice")
            return
        }
        #expect(first == second)
    }

    @Test func holdSecretLetsAnotherOwnerClaimOnce() async throws {
        let registry = try await freshRegistry()
        guard case .held(let hold) = try await registry.hold("jane", for: owner("session-1")) else {
            Issue.record("not held")
            return
        }
        #expect(word(try await registry.claim("jane", for: owner("user"), hold: "hold_wrong")) == "refused: taken")
        #expect(word(try await registry.claim("jane", for: owner("user"), hold: hold.hold)) == "taken")
        // The secret ends with the hold.
        #expect(word(try await registry.claim("jane", for: owner("other"), hold: hold.hold)) == "refused: taken")
    }

    @Test func holdLapsesAtItsEnd() async throws {
        let registry = try await freshRegistry()
        guard case .held(let hold) = try await registry.hold("jane", for: owner("one"), duration: .seconds(1)) else {
            Issue.record("not held")
            return
        }
        // The clock of the database decides, and a test can't move it: wait for the end.
        while try await registry.record(of: handle("jane")) != nil { await Task.yield() }
        #expect(try await registry.availability(of: "jane").decision.isAvailable)
        #expect(word(try await registry.claim("jane", for: owner("two"), hold: hold.hold)) == "taken")
        #expect(try await registry.record(of: handle("jane"))?.version == 2)
    }
}

@Suite struct ReservationTests {
    @Test func reservationKeepsANameFromAllButItsOwner() async throws {
        let registry = try await freshRegistry()
        let reservation = Reservation(reason: "trademark", owner: try owner("acme"))
        #expect(word(try await registry.reserve("Acme", reservation)) == "reserved")
        #expect(word(try await registry.reserve("acme", reservation)) == "already")
        #expect(word(try await registry.claim("acme", for: owner("other"))) == "refused: taken")
        #expect(word(try await registry.claim("acme", for: owner("acme"))) == "taken")
        #expect(word(try await registry.reserve("acme", reservation)) == "refused: taken")
    }

    @Test func reservedWordCanBeReservedAndThenClaimedByItsOwner() async throws {
        let registry = try await freshRegistry()
        let reservation = Reservation(reason: "ours", owner: try owner("us"))
        #expect(word(try await registry.reserve("support", reservation)) == "reserved")
        #expect(word(try await registry.claim("support", for: owner("them"))) == "refused: reserved_word,taken")
        #expect(word(try await registry.claim("support", for: owner("us"))) == "taken")
        #expect(word(try await registry.claim("support", for: owner("us"))) == "already")
    }

    @Test func releasedReservationIsFree() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.reserve("acme", Reservation(reason: "trademark"))
        guard case .released(let record) = try await registry.release(handle("acme")) else {
            Issue.record("not released")
            return
        }
        #expect(record.state == .free)
        #expect(word(try await registry.claim("acme", for: owner("one"))) == "taken")
    }
}
