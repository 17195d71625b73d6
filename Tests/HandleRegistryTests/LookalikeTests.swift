import HandleCore
import HandleRegistry
import TestSupport
import Testing

@Suite struct LookalikeTests {
    private let strict: Policy = {
        var policy = Policy.unlimited
        policy.lookalikes = .strict
        return policy
    }()

    @Test(arguments: ["acrne", "Acme_", "a_c_m_e", "ACMMe", "4cme"])
    func ofAReservationCanBeHadByNobody(_ name: String) async throws {
        let registry = try await freshRegistry()
        let acme = try owner("acme")
        _ = try await registry.reserve("acme", Reservation(reason: "trademark", owner: acme))
        for state in ["reserved", "claimed", "quarantined"] {
            #expect(word(try await registry.claim(name, for: owner("one"))) == "refused: lookalike", "\(state)")
            #expect(word(try await registry.hold(name, for: owner("one"))) == "refused: lookalike", "\(state)")
            #expect(try await registry.availability(of: name).decision.reasons.map(\.code) == [.lookalike])
            #expect(try await registry.decisions(about: [name])[0].reasons.map(\.code) == [.lookalike])
            // The protection stays with the name when its owner claims it, and while it is in quarantine.
            if state == "reserved" { #expect(word(try await registry.claim("acme", for: acme)) == "taken") }
            if state == "claimed" { try await registry.release(handle("acme")) }
        }
        #expect(try await discrepancies(registry).isEmpty)
    }

    @Test func isFreeOnceWhatItLooksLikeIs() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.reserve("acme", Reservation(reason: "trademark"))
        try await registry.release(handle("acme"))
        #expect(word(try await registry.claim("acrne", for: owner("one"))) == "taken")
    }

    @Test func ofAClaimCanBeHadUnlessThePolicyIsStrict() async throws {
        let relaxed = try await freshRegistry()
        _ = try await relaxed.claim("johndoe", for: owner("one"))
        #expect(word(try await relaxed.claim("j0hndoe", for: owner("two"))) == "taken")
        let registry = try await freshRegistry(policy: strict)
        _ = try await registry.claim("johndoe", for: owner("one"))
        #expect(word(try await registry.claim("j0hndoe", for: owner("two"))) == "refused: lookalike")
        #expect(word(try await registry.claim("johndoe", for: owner("one"))) == "already")
        #expect(word(try await registry.rename(handle("johndoe"), to: "john_doe", for: owner("one"))) == "renamed")
    }

    @Test func hasOneWinnerAmongManyRacersUnderTheStrictPolicy() async throws {
        let registry = try await freshRegistry(policy: strict)
        for mark in Self.marks.prefix(10) {
            let names = ["oi\(mark)zebra", "0i\(mark)zebra", "ol\(mark)zebra", "o1\(mark)zebra"]
            let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
                for racer in 0..<16 {
                    group.addTask { word(try await registry.claim(names[racer % 4], for: owner("racer-\(racer)"))) }
                }
                return try await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(outcomes["taken"] == 1)
            #expect(outcomes.keys.allSatisfy { $0 == "taken" || $0.hasPrefix("refused: ") })
        }
        #expect(try await discrepancies(registry).isEmpty)
    }

    /// Either the reservation comes first and the claim is refused, or the claim does and is reported.
    @Test func neverGetsPastAReservationUnseen() async throws {
        let registry = try await freshRegistry()
        for mark in Self.marks {
            async let reserving = registry.reserve("brand_\(mark)", Reservation(reason: "trademark"))
            async let claiming = registry.claim("br4nd_\(mark)", for: owner("one"))
            guard case .reserved(let lookalikes) = try await reserving else {
                Issue.record("not reserved")
                return
            }
            let isTaken = word(try await claiming) == "taken"
            #expect(isTaken == (lookalikes.map(\.description) == ["br4nd_\(mark)"]))
        }
    }

    /// Pairs of letters that look like nothing else, for names that differ in their keys.
    private static let marks: [String] = {
        let letters = ["f", "h", "j", "k", "p", "u", "x"]
        return letters.flatMap { first in letters.compactMap { $0 == first ? nil : first + $0 } }
    }()

    @Test func inUseAreReportedAndStay() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("acrne", for: owner("one"))
        _ = try await registry.claim("4cme", for: owner("two"))
        guard case .reserved(let lookalikes) = try await registry.reserve("acme", Reservation(reason: "trademark"))
        else {
            Issue.record("not reserved")
            return
        }
        #expect(Set(lookalikes.map(\.description)) == ["acrne", "4cme"])
        #expect(word(try await registry.claim("acrne", for: owner("one"))) == "already")
        #expect(word(try await registry.claim("acm3", for: owner("three"))) == "refused: lookalike")
    }

    @Test func canBeAllowedByAnAdminWhichIsRecorded() async throws {
        var policy = Policy.unlimited
        policy.quarantine = .zero
        let registry = try await freshRegistry(policy: policy)
        _ = try await registry.reserve("acme", Reservation(reason: "trademark"))
        let reservation = Reservation(reason: "another firm", owner: try owner("other"))
        #expect(word(try await registry.reserve("acrne", reservation)) == "refused: lookalike")
        #expect(
            word(try await registry.reserve("acrne", reservation, allowingLookalike: true)) == "reserved")
        #expect(try await registry.history(of: handle("acrne")).last?.related == "acme")
        #expect(word(try await registry.claim("acrne", for: owner("other"))) == "taken")
        let cause = Cause(actor: "admin", reason: "checked their papers")
        #expect(
            word(try await registry.perform(Claim("4cme", for: owner("one"), allowingLookalike: true, cause)))
                == "taken")
        let event = try #require(try await registry.history(of: handle("4cme")).last)
        #expect(event.related == "acme" && event.reason == "checked their papers" && event.actor == "admin")
        // The exception is for the one name, and for as long as somebody has it.
        for name in ["acrne", "4cme"] {
            try await registry.release(handle(name))
            #expect(word(try await registry.claim(name, for: owner("three"))) == "refused: lookalike")
        }
        #expect(word(try await registry.claim("acm3", for: owner("two"))) == "refused: lookalike")
    }

    @Test func areNotSuggested() async throws {
        let registry = try await freshRegistry()
        let first = try await registry.suggestions(for: "johndoe", count: 5, seed: 7)
        let avoided = try #require(first.first)
        // Reserve a twin of the first suggestion, and it is not made again.
        let twin = avoided.handle.description.replacing("o", with: "0").replacing("e", with: "3")
        try #require(twin != avoided.handle.description)
        _ = try await registry.reserve(twin, Reservation(reason: "test"))
        #expect(try await !registry.suggestions(for: "johndoe", count: 20, seed: 7).contains(avoided))
    }
}
