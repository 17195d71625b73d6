import Foundation
import HandleRegistry
import HandleRules
import TestSupport
import Testing

@Suite(.consistent) struct AssignTests {
    private func assign(
        _ name: String, to id: String, if precondition: Precondition = .none, reason: String? = nil,
        _ registry: Registry
    ) async throws -> ChangeOutcome.Kind {
        let cause = Cause(by: Cause.Actor("admin", .admin), reason: reason)
        return try await registry.perform(Assign(name, to: owner(id), if: precondition, cause)).kind
    }

    @Test(arguments: [nil, "org"])
    func assignTurnsAReservationIntoAClaimOfTheOwner(_ promisedTo: String?) async throws {
        let registry = try await freshRegistry()
        _ = try await registry.reserve(
            "acme", Reservation(reason: "trademark", owner: promisedTo.map(owner), until: .now + 1000))
        #expect(try await assign("ACME", to: "org", reason: "their papers", registry) == .done)
        let record = try #require(try await registry.record(of: handle("acme")))
        #expect(record.state == .claimed && record.owner?.id == "org" && record.display.description == "ACME")
        #expect(record.until == nil && record.reason == nil)
        let history = try await registry.history(of: handle("acme"))
        #expect(history.map(\.action) == [.reserved, .assigned])
        #expect(history.last?.reason == "their papers" && history.last?.actor == "admin")
        // A repetition succeeds and changes nothing.
        #expect(try await assign("acme", to: "org", registry) == .already)
        #expect(try await registry.record(of: handle("acme")) == record)
        // The name keeps the protection of the reservation, but not its end.
        #expect(try await registry.claim("acrne", for: owner("two")).kind == .refused(.lookalike))
        #expect(try await registry.claim("acme", for: owner("two")).kind == .refused(.taken))
    }

    /// The state of a name before it is assigned.
    enum Before: CaseIterable { case free, held, claimed, reserved, quarantined, lapsed }

    /// No other owner keeps a right on the name: neither a former one, nor one that holds it or is promised it.
    @Test(arguments: Before.allCases)
    func assignTakesANameFromAnyState(_ before: Before) async throws {
        let registry = try await freshRegistry(policy: Policy())
        let former = try owner("former")
        var secret: String?
        switch before {
        case .free: break
        case .held: secret = try await registry.hold("acme", for: former).record?.hold
        case .claimed: _ = try await registry.claim("acme", for: former)
        case .reserved: _ = try await registry.reserve("acme", Reservation(reason: "theirs", owner: former))
        case .quarantined:
            _ = try await registry.claim("acme", for: former)
            try await registry.release(handle("acme"))
        case .lapsed:
            _ = try await registry.reserve("acme", Reservation(reason: "event", until: .now + 0.05))
            while try await registry.record(of: handle("acme")) != nil { await Task.yield() }
        }
        #expect(try await assign("acme", to: "org", registry) == .done)
        #expect(try await registry.record(of: handle("acme"))?.owner?.id == "org")
        #expect(try await registry.claim("acme", for: former, hold: secret).kind == .refused(.taken))
        #expect(try await registry.rename(handle("acme"), to: "other_name", for: former).kind == .notOwner)
        // The former owner's account has lost it: there is room for another name.
        for name in ["name_1x", "name_2x", "name_3x"] {
            #expect(try await registry.claim(name, for: former).kind == .done)
            try await registry.release(handle(name))
        }
        #expect(try await registry.release(handle("acme")).kind == .done)
        #expect(try await registry.claim("acme", for: former).kind == .refused(.taken, .tooManyChanges))
        #expect(try await registry.claim("acme", for: owner("org")).kind == .done)
    }

    @Test func assignFromAnOwnerLeavesTheNamesOfOthers() async throws {
        let registry = try await freshRegistry()
        for name in ["claimed_one", "bygone_name"] { _ = try await registry.claim(name, for: owner("one")) }
        try await registry.release(handle("bygone_name"))
        _ = try await registry.reserve("acme", Reservation(reason: "theirs", owner: owner("one")))
        for name in ["claimed_one", "bygone_name", "acme", "free_name"] {
            let wrong = Precondition(owner: try owner("three"))
            #expect(try await assign(name, to: "two", if: wrong, registry) == .changed)
            let right = Precondition(owner: name == "free_name" ? nil : try owner("one"))
            #expect(try await assign(name, to: "two", if: right, registry) == .done)
            // A repetition finds the name with its new owner, and changes nothing.
            #expect(try await assign(name, to: "two", if: right, registry) == .already)
        }
    }

    @Test func assignRefusesANameThatHasChangedSinceItWasRead() async throws {
        let registry = try await freshRegistry()
        #expect(try await assign("johndoe", to: "two", if: Precondition(unchanged: nil), registry) == .done)
        let record = try #require(try await registry.record(of: handle("johndoe")))
        _ = try await registry.recase(#require(DisplayHandle("JohnDoe")))
        for precondition in [Precondition(unchanged: record), Precondition(unchanged: nil)] {
            #expect(try await assign("johndoe", to: "three", if: precondition, registry) == .changed)
        }
        #expect(try await assign("x", to: "one", registry) == .refused(.tooShort))
    }

    @Test func assignAllowsAReservedWordAndALookalike() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.reserve("admin", Reservation(reason: "ours"))
        _ = try await registry.reserve("acme", Reservation(reason: "trademark"))
        let second = try await registry.reserve("acrne", Reservation(reason: "another"), allowingLookalike: true)
        #expect(second.kind == .done)
        #expect(try await assign("admin", to: "staff", registry) == .done)
        #expect(try await assign("acrne", to: "other", registry) == .done)
        #expect(try await registry.claim("adm1n", for: owner("one")).kind == .refused(.reservedWord))
    }

    @Test func limitsOfTheOwnerDoNotStopAnAssignment() async throws {
        let registry = try await freshRegistry(policy: Policy())
        _ = try await registry.claim("johndoe", for: owner("one"))
        _ = try await registry.lock(owner("one"), until: nil, Registry.testCause)
        for name in ["acme", "adm1n", "support"] { #expect(try await assign(name, to: "one", registry) == .done) }
        #expect(try await registry.records(of: owner("one")).count == 4)
    }

    /// Each takes the name from the one before.
    @Test func concurrentAssignsOfOneNameComeOneAfterTheOther() async throws {
        let registry = try await freshRegistry()
        for name in ["acme", "brand", "cafe_x"] {
            _ = try await registry.reserve(name, Reservation(reason: "race"))
            let outcomes = try await race(6) { racer in try await assign(name, to: "racer-\(racer)", registry) }.counts
            #expect(outcomes == [.done: 6])
            let history = try await registry.history(of: handle(name))
            #expect(history.map(\.action) == [.reserved] + Array(repeating: .assigned, count: 6))
            #expect(Set(history.map(\.ownerID)).count == 7)
        }
    }
}
