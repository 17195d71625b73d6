import Foundation
import HandleRegistry
import HandleRules
import TestSupport
import Testing

@Suite(.consistent) struct AssignTests {
    private func assign(
        _ name: String, to id: String, overruling version: Int64? = nil, reason: String? = nil, _ registry: Registry
    ) async throws -> ChangeOutcome.Kind {
        let cause = Cause(by: Cause.Actor("admin", .admin), reason: reason)
        return try await registry.perform(Assign(name, to: owner(id), overruling: version, cause)).kind
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
        #expect(history.map(\.action) == [.reserved, .claimed])
        #expect(history.last?.reason == "their papers" && history.last?.actor == "admin")
        // A repetition succeeds and changes nothing.
        #expect(try await assign("acme", to: "org", registry) == .already)
        #expect(try await registry.record(of: handle("acme")) == record)
        // The name keeps the protection of the reservation, but not its end.
        #expect(try await registry.claim("acrne", for: owner("two")).kind == .refused(.lookalike))
        #expect(try await registry.claim("acme", for: owner("two")).kind == .refused(.taken))
    }

    @Test func assignOverrulesAPromiseOnlyAtTheGivenVersion() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.reserve("acme", Reservation(reason: "trademark", owner: owner("org")))
        let reserved = try #require(try await registry.record(of: handle("acme")))
        for version in [nil, 7] as [Int64?] {
            let assign = Assign(
                "acme", to: try owner("two"), overruling: version, Cause(by: Cause.Actor("admin", .admin)))
            #expect(try await registry.perform(assign) == .refused(.notOwner(reserved)))
        }
        #expect(try await registry.record(of: handle("acme"))?.version == 1)
        #expect(try await assign("acme", to: "two", overruling: 1, registry) == .done)
        #expect(try await registry.claim("acme", for: owner("org")).kind == .refused(.taken))
    }

    @Test func assignRefusesANameThatIsNotReserved() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("claimed_one", for: owner("one"))
        #expect(try await assign("claimed_one", to: "two", overruling: 1, registry) == .notReserved(.claimed))
        #expect(try await assign("x", to: "one", registry) == .refused(.tooShort))
        // A reservation that has ended counts as free.
        _ = try await registry.reserve("ended", Reservation(reason: "event", until: .now + 0.05))
        while try await registry.record(of: handle("ended")) != nil { await Task.yield() }
        #expect(try await assign("ended", to: "one", registry) == .notReserved(nil))
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

    @Test func assignRespectsTheHandleLimitOfTheOwner() async throws {
        let registry = try await freshRegistry(policy: Policy())
        _ = try await registry.claim("johndoe", for: owner("one"))
        _ = try await registry.reserve("acme", Reservation(reason: "trademark"))
        #expect(try await assign("acme", to: "one", registry) == .refused(.ownerFull))
        #expect(try await registry.record(of: handle("acme"))?.state == .reserved)
        #expect(try await assign("acme", to: "two", registry) == .done)
        #expect(try await registry.claim("janedoe", for: owner("two")).kind == .refused(.ownerFull))
    }

    @Test func concurrentAssignsOfOneNameHaveOneWinner() async throws {
        let registry = try await freshRegistry()
        for name in ["acme", "brand", "cafe_x"] {
            _ = try await registry.reserve(name, Reservation(reason: "race"))
            let outcomes = try await race(12) { racer in try await assign(name, to: "racer-\(racer)", registry) }.counts
            #expect(outcomes == [.done: 1, .notReserved(.claimed): 11])
            #expect(try await registry.history(of: handle(name)).map(\.action) == [.reserved, .claimed])
        }
    }
}
