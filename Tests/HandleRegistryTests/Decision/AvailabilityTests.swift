import HandleRegistry
import HandleRules
import HandleWords
import TestSupport
import Testing

@Suite struct AvailabilityTests {
    @Test func checkOfManyNamesAnswersInTheirOrder() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("Taken", for: owner("one"))
        let decisions = try await registry.decisions(about: ["free_one", "TAKEN", "x", "admin", "taken"])
        #expect(decisions.map(\.status) == [.available, .unavailable, .invalid, .unavailable, .unavailable])
        #expect(decisions.map { $0.display?.description } == ["free_one", "TAKEN", nil, "admin", "taken"])
        #expect(try await registry.decisions(about: []).isEmpty)
    }

    /// The database answers in any order.
    @Test(arguments: [1, 2, 7, 100]) func checkOfManyNamesKnowsEachOne(count: Int) async throws {
        let registry = try await freshRegistry()
        var random = SeededGenerator(seed: UInt64(count))
        let names = (0..<count).map { distinctName($0) }.shuffled(using: &random)
        for (number, name) in names.enumerated() where number % 3 == 0 {
            _ = try await registry.claim(name, for: owner("one"))
        }
        let decisions = try await registry.decisions(about: names)
        #expect(decisions.map(\.isAvailable) == names.indices.map { $0 % 3 != 0 })
    }

    @Test(arguments: [
        "johndoe", "JohnDoe", "x", "admin", "Ольга", "christophersons", "!!!", "", "support", "root", "paypal",
        "@Admin",
        "adm1n",
    ])
    func everySuggestionCanBeClaimed(_ wanted: String) async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("johndoe", for: owner("one"))
        let suggestions = try await registry.availability(of: wanted, suggestions: 20).suggestions
        #expect(suggestions.count == 20)
        for suggestion in suggestions {
            let outcome = try await registry.claim(suggestion.display.description, for: owner("two"))
            #expect(outcome.kind == .done)
        }
    }

    @Test func suggestionsLeaveOutNamesTakenSince() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("johndoe", for: owner("one"))
        for _ in 0..<10 {
            let suggestions = try await registry.suggestions(for: "johndoe", count: 5, seed: 42)
            #expect(suggestions.count == 5)
            for suggestion in suggestions {
                #expect(try await registry.claim("\(suggestion.display)", for: owner("one")).kind == .done)
            }
        }
    }

    @Test func suggestionsDefaultToFiveForAnUnavailableNameAndNoneForAnAvailableOne() async throws {
        let registry = try await freshRegistry()
        #expect(try await registry.availability(of: "johndoe").suggestions.isEmpty)
        #expect(try await registry.availability(of: "admin").suggestions.count == 5)
        #expect(try await registry.availability(of: "johndoe", suggestions: 3).suggestions.count == 3)
    }

    @Test(arguments: ["JohnDoe", "@JohnDoe", " john_doe", "ＪｏｈｎＤｏｅ"])
    func suggestionsNeverLookLikeTheTakenName(_ wanted: String) async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("johndoe", for: owner("one"))
        let taken = LookalikeKey(try handle("johndoe"))
        for suggestion in try await registry.suggestions(for: wanted, name: "John Doe", count: 20) {
            #expect(LookalikeKey(suggestion.handle) != taken, "\(suggestion.display)")
        }
    }

    /// The check and the claim decide the same in every state, for the owner and for another caller.
    @Test func checkAgreesWithTheClaimInEveryState() async throws {
        for state in ["free", "released", "held", "claimed", "reserved", "reserved for", "quarantined", "word"] {
            for caller in ["owner", "stranger"] {
                let registry = try await freshRegistry()
                let name = state == "word" ? "adm1n" : "johndoe"
                try await bring(name, into: state, registry)
                let decision = try await registry.availability(of: name, for: owner(caller), suggestions: 0).decision
                let outcome = try await registry.claim(name, for: owner(caller))
                #expect(decision.isAvailable == (outcome.record != nil), "\(state) for \(caller): \(outcome.kind)")
                if !decision.isAvailable { #expect(outcome == .refused(.decision(decision))) }
            }
        }
    }

    private func bring(_ name: String, into state: String, _ registry: Registry) async throws {
        switch state {
        case "released":
            _ = try await registry.hold(name, for: owner("owner"))
            _ = try await registry.release(handle(name))
        case "held": _ = try await registry.hold(name, for: owner("owner"))
        case "claimed": _ = try await registry.claim(name, for: owner("owner"))
        case "reserved": _ = try await registry.reserve(name, Reservation(reason: "test"))
        case "reserved for":
            _ = try await registry.reserve(name, Reservation(reason: "test", owner: owner("owner")))
        case "quarantined":
            _ = try await registry.claim(name, for: owner("owner"))
            _ = try await registry.release(handle(name))
        default: break
        }
    }
}
