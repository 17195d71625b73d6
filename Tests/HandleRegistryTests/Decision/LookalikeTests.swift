import Foundation
import HandleRules
import TestSupport
import Testing

@testable import HandleRegistry

@Suite(.consistent) struct LookalikeTests {
    @Test func lookalikeIsFreeOnceTheReservationIsReleased() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.reserve("acme", Reservation(reason: "trademark"))
        let released = try await registry.release(handle("acme"))
        #expect(released.kind == .done && released.record?.state == .free)
        for name in ["acrne", "acme"] { #expect(try await registry.claim(name, for: owner("one")).kind == .done) }
    }

    @Test func lookalikeOfAClaimIsRefusedUnderTheStrictPolicyOnly() async throws {
        let relaxed = try await freshRegistry()
        _ = try await relaxed.claim("johndoe", for: owner("one"))
        #expect(try await relaxed.claim("j0hndoe", for: owner("two")).kind == .done)
        let registry = try await freshRegistry { $0.lookalikes = .strict }
        _ = try await registry.claim("johndoe", for: owner("one"))
        #expect(try await registry.claim("j0hndoe", for: owner("two")).kind == .refused(.lookalike))
        #expect(try await registry.claim("johndoe", for: owner("one")).kind == .already)
        #expect(try await registry.rename(handle("johndoe"), to: "john_doe", for: owner("one")).kind == .done)
    }

    /// The old name of a rename to a look-alike is in quarantine for its owner. It comes back only in place of the new one.
    @Test func formerNameBesideItsLookalikeIsRefusedUnderTheStrictPolicy() async throws {
        let registry = try await freshRegistry { ($0.lookalikes, $0.perOwner) = (.strict, 3) }
        _ = try await registry.claim("johndoe", for: owner("one"))
        #expect(try await registry.claim("j0hndoe", for: owner("one")).kind == .refused(.lookalike))
        #expect(try await registry.rename(handle("johndoe"), to: "j0hndoe", for: owner("one")).kind == .done)
        #expect(try await registry.claim("johndoe", for: owner("two")).kind == .refused(.lookalike, .taken))
        func expectRefusal(_ name: String) async throws {
            let one = try owner("one")
            #expect(try await registry.claim(name, for: one).kind == .refused(.lookalike))
            let availability = try await registry.availability(of: name, for: one)
            #expect(availability.decision.reasons.map(\.code) == [.lookalike])
            #expect(try await registry.decisions(about: [name], for: one)[0].reasons.map(\.code) == [.lookalike])
        }
        try await expectRefusal("johndoe")
        #expect(try await registry.claim("zebra_one", for: owner("one")).kind == .done)
        #expect(
            try await registry.rename(handle("zebra_one"), to: "johndoe", for: owner("one")).kind
                == .refused(.lookalike))
        #expect(try await registry.rename(handle("j0hndoe"), to: "johndoe", for: owner("one")).kind == .done)
        try await expectRefusal("j0hndoe")
        // After a release both are in quarantine for the owner, and either can be taken back.
        try await registry.release(handle("johndoe"))
        #expect(try await registry.claim("j0hndoe", for: owner("two")).kind == .refused(.lookalike, .taken))
        #expect(try await registry.claim("joh_ndoe", for: owner("two")).kind == .refused(.lookalike))
        #expect(try await registry.claim("j0hndoe", for: owner("one")).kind == .done)
        try await expectRefusal("johndoe")
    }

    @Test func concurrentClaimsOfLookalikesHaveOneWinnerUnderTheStrictPolicy() async throws {
        let registry = try await freshRegistry { $0.lookalikes = .strict }
        for mark in Self.marks.prefix(10) {
            let names = ["oi\(mark)zebra", "0i\(mark)zebra", "ol\(mark)zebra", "o1\(mark)zebra"]
            let outcomes = try await race(16) { racer in
                try await registry.claim(names[racer % 4], for: owner("racer-\(racer)")).kind
            }.counts
            #expect(outcomes[.done] == 1)
            #expect(outcomes.keys.allSatisfy { if case .decision = $0 { true } else { $0 == .done } })
        }
    }

    /// Either the reservation is first and the claim is refused, or the claim is first and the reservation reports it.
    @Test func claimRacingAReservationOfALookalikeIsRefusedOrReported() async throws {
        let registry = try await freshRegistry()
        for mark in Self.marks {
            async let reserving = registry.reserveAndReport("brand_\(mark)", Reservation(reason: "trademark"))
            async let claiming = registry.claim("br4nd_\(mark)", for: owner("one"))
            let reserved = try await reserving
            #expect(reserved.outcome.kind == .done)
            let isTaken = try await claiming.kind == .done
            #expect(isTaken == (reserved.lookalikes.map(\.description) == ["br4nd_\(mark)"]))
        }
    }

    /// Pairs of letters without look-alikes, for names with different look-alike keys.
    private static let marks: [String] = {
        let letters = ["f", "h", "j", "k", "p", "u", "x"]
        return letters.flatMap { first in letters.compactMap { $0 == first ? nil : first + $0 } }
    }()

    @Test func reservationReportsLookalikesInUseAndLeavesThem() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("acrne", for: owner("one"))
        _ = try await registry.claim("4cme", for: owner("two"))
        let reserved = try await registry.reserveAndReport("acme", Reservation(reason: "trademark"))
        #expect(reserved.outcome.kind == .done)
        #expect(Set(reserved.lookalikes.map(\.description)) == ["acrne", "4cme"])
        #expect(try await registry.claim("acrne", for: owner("one")).kind == .already)
        #expect(try await registry.claim("acm3", for: owner("three")).kind == .refused(.lookalike))
    }

    @Test func adminCanAllowALookalikeAndTheHistoryRecordsIt() async throws {
        let registry = try await freshRegistry { $0.quarantine = .zero }
        _ = try await registry.reserve("acme", Reservation(reason: "trademark"))
        let reservation = Reservation(reason: "another firm", owner: try owner("other"))
        #expect(try await registry.reserve("acrne", reservation).kind == .refused(.lookalike))
        #expect(
            try await registry.reserve("acrne", reservation, allowingLookalike: true).kind == .done)
        #expect(try await registry.history(of: handle("acrne")).last?.related == "acme")
        #expect(try await registry.claim("acrne", for: owner("other")).kind == .done)
        let cause = Cause(by: Cause.Actor("admin", .admin), reason: "checked their papers")
        #expect(
            try await registry.perform(Claim("4cme", for: owner("one"), allowingLookalike: true, cause)).kind
                == .done)
        let event = try #require(try await registry.history(of: handle("4cme")).last)
        #expect(event.related == "acme" && event.reason == "checked their papers" && event.actor == "admin")
        // The exception is for this one name, and ends when the name is released.
        for name in ["acrne", "4cme"] {
            try await registry.release(handle(name))
            #expect(try await registry.claim(name, for: owner("three")).kind == .refused(.lookalike))
        }
        #expect(try await registry.claim("acm3", for: owner("two")).kind == .refused(.lookalike))
    }

    /// Each of the reservations that look alike is protected: other look-alikes are refused until the last one ends.
    @Test(arguments: ["released", "lapsed", "taken back", "claimed first"])
    func lookalikesStayRefusedWhileOneOfTheReservationsIsInForce(_ end: String) async throws {
        let registry = try await freshRegistry()
        let other = try owner("other")
        for (name, owner) in [("acme", nil), ("acrne", other), ("acm3", nil)] {
            _ = try await registry.reserve(name, Reservation(reason: "test", owner: owner), allowingLookalike: true)
        }
        #expect(try await registry.claim("4cme", for: owner("one")).kind == .refused(.lookalike))
        if end == "claimed first" { #expect(try await registry.claim("acrne", for: other).kind == .done) }
        switch end {
        case "lapsed":
            try await registry.execute("UPDATE names SET until = now() WHERE handle = 'acme'")
        case "taken back":
            let record = try #require(try await registry.record(of: handle("acme")))
            _ = try await BulkUndo(registry, Registry.testCause).undo([(record.handle, record.change)])
        default: try await registry.release(handle("acme"))
        }
        for round in ["one is gone", "swept", "two are gone"] {
            for name in ["4cme", "acme"] {
                #expect(try await registry.claim(name, for: owner("one")).kind == .refused(.lookalike), "\(round)")
                let decision = try await registry.availability(of: name).decision
                #expect(decision.reasons.map(\.code) == [.lookalike], "\(round)")
            }
            switch round {
            case "one is gone": try await registry.sweep()
            case "swept":
                #expect(
                    try await registry.claim("acrne", for: other).kind
                        == (end == "claimed first" ? .already : .done))
                try await registry.release(handle("acm3"))
            default: break
            }
        }
    }

    /// A claim of a name after its reservation has lapsed is an ordinary claim: its look-alikes are not refused.
    @Test func claimOfALapsedReservationDoesNotInheritItsProtection() async throws {
        let registry = try await freshRegistry()
        for name in ["acme", "acrne"] {
            let later = try #require(Date(endOfDay: "2999-12-31"))
            _ = try await registry.reserve(name, Reservation(reason: "test", until: later), allowingLookalike: true)
        }
        try await registry.execute("UPDATE names SET until = now()")
        try await registry.sweep()
        #expect(try await registry.claim("acrne", for: owner("stranger")).kind == .done)
        for name in ["acme", "acm3"] { #expect(try await registry.claim(name, for: owner("one")).kind == .done) }
    }

    @Test func lookalikesOfAReservationAreNotSuggested() async throws {
        let registry = try await freshRegistry()
        let first = try await registry.suggestions(for: "johndoe", count: 5, seed: 7)
        let avoided = try #require(first.first)
        // With a look-alike of the first suggestion reserved, the suggestion is not made again.
        let twin = avoided.handle.description.replacing("o", with: "0").replacing("e", with: "3")
        try #require(twin != avoided.handle.description)
        _ = try await registry.reserve(twin, Reservation(reason: "test"))
        #expect(try await !registry.suggestions(for: "johndoe", count: 20, seed: 7).contains(avoided))
    }
}
