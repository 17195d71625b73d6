import HandleRules
import HandleWords
import TestSupport
import Testing

@testable import HandleRegistry

/// Names with an offensive word: no call gives one away, and a setting leaves the category out.
@Suite struct OffensiveNamesTests {
    private static let names = ["fuckyou", "F_U_C_K", "n1gg3rs", "FuckYou99", "sh1t", "puta69", "ｆｕｃｋyou"]

    private func isOffensive(_ decision: Decision?) -> Bool {
        guard case .reservedWord(let word) = decision?.reasons.first else { return false }
        return word.category == "offensive"
    }

    @Test func everyWayToANameRefusesIt() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("johndoe", for: owner("one"))
        let batch = try await registry.decisions(about: Self.names)
        for (name, decision) in zip(Self.names, batch) {
            let handle = try #require(Reading(typed: name).handle)
            #expect(isOffensive(decision), "\(name)")
            #expect(try await registry.availability(of: name).decision == decision, "\(name)")
            #expect(try await registry.claim(name, for: owner("two")) == .refused(.decision(decision)), "\(name)")
            #expect(try await registry.hold(name, for: owner("two")).kind == .refused(.reservedWord), "\(name)")
            let renamed = try await registry.rename(try #require(Handle("johndoe")), to: name, for: owner("one"))
            #expect(renamed.kind == .refused(.reservedWord), "\(name)")
            #expect(try await registry.record(of: handle) == nil, "\(name)")
        }
    }

    @Test(arguments: [
        "fuckyou", "fuck.you", "f.u.c.k", "Fück!", "shit", "sh1t!", "puta", "puta gorda", "PutaGorda", "merde_alors",
        "Alexander Great Shit", "johndoe",
    ])
    func suggestionsHaveNoOffensiveWord(_ wanted: String) async throws {
        let registry = try await freshRegistry()
        for seed in 0..<5 {
            let suggestions = try await registry.suggestions(
                for: wanted, name: "Puta Shit", count: 20, seed: UInt64(seed))
            #expect(suggestions.count == 20)
            for suggestion in suggestions {
                let name = suggestion.handle.description
                #expect(!["fuck", "shit", "puta", "merde"].contains { name.contains($0) }, "\(name)")
            }
        }
    }

    @Test func wordsOfACategoryThatIsOffHaveNoEffect() async throws {
        let registry = try await freshRegistry { $0.wordsOff = ["offensive", "roles"] }
        let others = try Registry(pool: patientPool(registry.database), policy: .unlimited)
        try await registry.putWords([
            .add("zebra", .inside, category: "offensive"), .add("shit", .whole, category: "ours"),
            .add("okapi", .affix),
        ])
        #expect(try await registry.claim("fuckyou", for: owner("one")).kind == .done)
        #expect(registry.words.match("myzebra") == nil)
        // Another category, and a locked one.
        for name: PackedASCII in ["sh1t", "okapi9", "admin", "paypal"] { #expect(registry.words.match(name) != nil) }
        // The words of the database are the same for a service with another setting.
        try await others.refreshWords()
        #expect(others.words.match("myzebra")?.category == "offensive")
        let (off, on) = (try await registry.wordsInForce(), try await others.wordsInForce())
        #expect(off.countOff > 300 && on.countOff == 0)
        #expect(off.entries.count + off.countOff == on.entries.count)
        #expect(!off.entries.contains { $0.category == "offensive" })
        #expect(off.entries.contains { $0.category == "roles" })
        #expect(off.effect(of: .add("zebra", .inside, category: "offensive")) == .same)
        #expect(off.effect(of: .add("quagga", .inside, category: "offensive")) == .added)
        #expect(off.isOff(.add("quagga", .inside, category: "offensive")) && !off.isOff(.remove("fuck")))
        var changed = off
        changed.apply([.add("fuck", .inside)])
        #expect(off.tables.match("fuckyou") == nil && changed.tables.match("fuckyou") != nil)
        #expect(changed.tables.match("bitchy") == nil)
    }

    /// The built-in innocent name must not carry the word that is added in its place.
    @Test func innocentNameCanBecomeAWordInsideOthers() async throws {
        let registry = try await freshRegistry()
        #expect(registry.words.match("dick") == nil && registry.words.match("bigdick") == nil)
        #expect(try await registry.change(.add("dick", .inside, category: "offensive")) == .changed)
        for name: PackedASCII in ["dick", "bigdick", "thed1ckx"] {
            #expect(registry.words.match(name)?.word == "dick", "\(name)")
        }
    }

    @Test func innocentNameWithAWordCanBeAddedAndCarriesIt() async throws {
        let registry = try await freshRegistry()
        #expect(registry.words.match("fuckhausen")?.word == "fuck")
        #expect(try await registry.change(.exempt("fuckhausen")) == .added)
        for name in ["fuckhausen", "anna_fuckhausen"] {
            #expect(try await registry.claim(name, for: owner(name)).kind == .done, "\(name)")
        }
        #expect(registry.words.match("fuckhaus")?.word == "fuck")
        #expect(try await registry.change(.remove("fuck")) == .removed)
        #expect(registry.words.match("fuckyou") == nil)
    }
}
