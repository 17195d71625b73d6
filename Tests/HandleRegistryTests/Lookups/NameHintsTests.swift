import HandleRules
import Postgres
import TestSupport
import Testing

@testable import HandleRegistry

@Suite(.timeLimit(.minutes(5))) struct NameHintsTests {
    private static let usual = 1 << 24

    /// Inserts claimed names `PREFIX0`, `PREFIX1` and so on.
    private func insert(_ count: Int, _ prefix: String, into registry: Registry) async throws {
        try await registry.insert((0..<count).map { "\(prefix)\($0)" })
    }

    private func hinted(_ registry: Registry, _ prefix: String, _ numbers: Range<Int>) throws -> Int {
        try numbers.count { registry.hints.mayBeInUse(try handle("\(prefix)\($0)")) }
    }

    // MARK: Filling

    @Test func hintsAreFilledWithEachNameOfTheRegistry() async throws {
        let registry = try await freshRegistry(hintsBytes: Self.usual)
        // More than two pages.
        try await insert(12_000, "olga_", into: registry)
        #expect(try hinted(registry, "olga_", 0..<12_000) == 0)
        #expect(registry.hints.metrics.bytes == 0)
        try await registry.fillHints()
        #expect(try hinted(registry, "olga_", 0..<12_000) == 12_000)
        #expect(try hinted(registry, "nina_", 0..<1000) < 20)
        #expect(registry.hints.metrics.bytes > 12_000)
    }

    /// The server's estimate is -1 for a table that was never analysed.
    @Test func filterGrowsWhenTheEstimateIsTooLow() async throws {
        let registry = try await freshRegistry(hintsBytes: Self.usual)
        try await insert(80_000, "olga_", into: registry)
        #expect(try await registry.pool.run(EstimateOfNames()).first == -1)
        try await registry.fillHints()
        #expect(try hinted(registry, "olga_", 0..<80_000) == 80_000)
        #expect(try hinted(registry, "nina_", 0..<1000) < 20)
        #expect(registry.hints.metrics.bytes >= 80_000 * 10 / 8)
    }

    @Test func hintsAreFilledAnewOnlyWhenTheyAreFullOrOld() async throws {
        let registry = try await freshRegistry(hintsBytes: Self.usual)
        let (hints, pool, start) = (registry.hints, registry.pool, ContinuousClock.now)
        try await hints.fill(from: pool, at: start)
        try await insert(100, "olga_", into: registry)
        try await hints.fill(from: pool, at: start + .seconds(24 * 3600 - 1))
        #expect(try hinted(registry, "olga_", 0..<100) < 5)
        try await hints.fill(from: pool, at: start + .seconds(24 * 3600))
        #expect(try hinted(registry, "olga_", 0..<100) == 100)
        // Names that are free again lose their hints. Their records stay.
        try await registry.execute("UPDATE names SET state = 'f', owner = NULL")
        try await hints.fill(from: pool, at: start + .seconds(48 * 3600))
        #expect(try hinted(registry, "olga_", 0..<100) < 5)
        // Names of other services fill the filter.
        hints.insert(try (0..<80_000).map { try handle("nina_\($0)") })
        try await insert(100, "vera_", into: registry)
        try await hints.fill(from: pool, at: start + .seconds(48 * 3600 + 1))
        #expect(try hinted(registry, "vera_", 0..<100) == 100)
        #expect(try hinted(registry, "nina_", 0..<1000) < 20)
    }

    @Test func lastHintsStayWhenTheDatabaseFails() async throws {
        let registry = try await freshRegistry(hintsBytes: Self.usual)
        let start = ContinuousClock.now
        try await insert(100, "olga_", into: registry)
        try await registry.hints.fill(from: registry.pool, at: start)
        try await registry.execute("ALTER TABLE names RENAME TO elsewhere")
        await #expect(throws: PostgresError.self) {
            try await registry.hints.fill(from: registry.pool, at: start + .seconds(24 * 3600))
        }
        #expect(try hinted(registry, "olga_", 0..<100) == 100)
    }

    @Test func hintsWithoutMemoryAreOff() async throws {
        let registry = try await freshRegistry()
        try await insert(100, "olga_", into: registry)
        try await registry.fillHints()
        registry.hints.insert([try handle("olga_1")])
        #expect(try hinted(registry, "olga_", 0..<100) == 0)
        #expect(registry.hints.metrics == .init())
        // Nothing is read: the table need not exist.
        try await registry.execute("ALTER TABLE names RENAME TO elsewhere")
        try await registry.fillHints()
    }

    /// A filter with nearly all bits set would call every name taken.
    @Test func filterWithMuchTooLittleMemoryIsNotUsed() async throws {
        let registry = try await freshRegistry(hintsBytes: 1000)
        try await insert(700, "olga_", into: registry)
        try await registry.fillHints()
        #expect(try hinted(registry, "olga_", 0..<700) == 700)
        #expect(registry.hints.metrics.bytes <= 1000)
        try await insert(9000, "nina_", into: registry)
        try await registry.hints.fill(from: registry.pool, at: .now + .seconds(24 * 3600))
        #expect(try hinted(registry, "olga_", 0..<700) == 0)
        #expect(registry.hints.metrics.bytes == 0)
    }

    @Test func filterIsDroppedWhenItIsWorn() async throws {
        let registry = try await freshRegistry(hintsBytes: 1000)
        try await registry.fillHints()
        let handles = try (0..<9000).map { try handle("nina_\($0)") }
        // A handle that is inserted again takes no room.
        for _ in 0..<10 { registry.hints.insert(handles.prefix(900)) }
        #expect(try hinted(registry, "nina_", 0..<900) == 900)
        registry.hints.insert(handles)
        #expect(try hinted(registry, "nina_", 0..<9000) == 0)
        #expect(registry.hints.metrics.bytes == 0)
    }

    @Test func wornFilterThatMayGrowIsFilledAnew() async throws {
        let registry = try await freshRegistry(hintsBytes: Self.usual)
        try await registry.fillHints()
        registry.hints.insert(try (0..<300_000).map { try handle("nina_\($0)") })
        #expect(registry.hints.metrics.bytes == 0)
        try await insert(100, "olga_", into: registry)
        try await registry.fillHints()
        #expect(try hinted(registry, "olga_", 0..<100) == 100)
    }

    // MARK: Checks

    @Test func takenNameAndItsSuggestionsTakeOneLookup() async throws {
        let registry = try await freshRegistry(hintsBytes: Self.usual)
        try await registry.fillHints()
        // The registry's own writes are hinted at once.
        _ = try await registry.claim("JohnDoe", for: owner("one"))
        let availability = try await registry.availability(of: "johndoe")
        #expect(availability.decision.reasons.map(\.code) == [.taken])
        #expect(availability.suggestions.count == 5)
        #expect(registry.lookups.metrics.callers == 1)
        #expect(registry.hints.metrics.foundInUse == 1)
    }

    @Test(arguments: ["admin", "adm1n", "a b", "no", "thisnameistoolongforahandle"])
    func nameThatIsRefusedByItselfTakesOneLookup(_ input: String) async throws {
        let registry = try await freshRegistry()
        let availability = try await registry.availability(of: input, name: "Olga Petrova")
        #expect(!availability.decision.isAvailable)
        #expect(availability.suggestions.count == 5)
        #expect(registry.lookups.metrics.callers == 1)
    }

    // MARK: Wrong hints

    @Test func freeNameWithAHintIsAvailable() async throws {
        let registry = try await freshRegistry(hintsBytes: Self.usual)
        try await registry.fillHints()
        registry.hints.insert([try handle("johndoe")])
        let availability = try await registry.availability(of: "johndoe")
        #expect(availability.decision.isAvailable && availability.suggestions.isEmpty)
        #expect(registry.lookups.metrics.callers == 1)
        #expect(registry.hints.metrics.mistaken == 1)
        let wanted = try await registry.availability(of: "johndoe", suggestions: 3)
        #expect(wanted.decision.isAvailable && wanted.suggestions.count == 3)
    }

    @Test func takenNameWithoutAHintTakesASecondLookupOnce() async throws {
        let registry = try await freshRegistry(hintsBytes: Self.usual)
        try await registry.fillHints()
        try await insert(1, "johndoe_", into: registry)
        for lookups in [2, 3] {
            let availability = try await registry.availability(of: "johndoe_0")
            #expect(!availability.decision.isAvailable && availability.suggestions.count == 5)
            #expect(registry.lookups.metrics.callers == lookups)
        }
        #expect(registry.hints.metrics.missed == 1)
        #expect(registry.hints.metrics.foundInUse == 1)
    }

    /// Decisions are the same with right hints, with wrong ones and without hints.
    @Test func hintsChangeNoDecision() async throws {
        let plain = try await freshRegistry()
        _ = try await plain.claim("taken_one", for: owner("one"))
        _ = try await plain.hold("held_one", for: owner("one"))
        _ = try await plain.reserve("acme", Reservation(reason: "ours"))
        _ = try await plain.claim("quitted", for: owner("one"))
        try await plain.release(handle("quitted"))
        let names = [
            "taken_one", "held_one", "acme", "acrne", "quitted", "free_one", "admin", "x", "Taken_One", "heid_one",
        ]
        func decisions(_ registry: Registry, for owner: Owner?) async throws -> [Decision] {
            var decisions: [Decision] = []
            for name in names { decisions.append(try await registry.availability(of: name, for: owner).decision) }
            return decisions
        }
        for caller in [nil, try owner("one"), try owner("two")] {
            let expected = try await decisions(plain, for: caller)
            for wrong in [[], ["free_one", "acrne", "heid_one"]] {
                let hinted = try Registry(pool: plain.pool, policy: .unlimited, hintsBytes: Self.usual)
                if wrong.isEmpty {
                    try await hinted.fillHints()
                } else {
                    // Filled from an empty registry, so that each name in use is without a hint.
                    try await hinted.hints.fill(from: freshRegistry().pool)
                    hinted.hints.insert(try wrong.map { try handle($0) })
                }
                #expect(try await decisions(hinted, for: caller) == expected)
            }
        }
    }
}
