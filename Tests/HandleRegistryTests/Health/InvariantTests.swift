import HandleRegistry
import HandleRules
import HandleWords
import NIOConcurrencyHelpers
import Postgres
import TestSupport
import Testing

/// Invariants that hold after random operations, one at a time or concurrent.
@Suite(.consistent) struct InvariantTests {
    /// Few names, some of them look-alikes, so that operations conflict.
    private static let names = ["oscar_f", "0scar_f", "osc4r_f", "lima_h", "1ima_h", "papa_k", "quebec_p", "tango_u"]
    private static let owners = ["one", "two", "three", "four"]

    /// Performs a random operation on a random name.
    private static func randomStep(_ registry: Registry, _ random: inout some RandomNumberGenerator) async throws {
        let name = names.randomElement(using: &random) ?? ""
        let spelling = Bool.random(using: &random) ? name : name.uppercased()
        let who = try owner(owners.randomElement(using: &random) ?? "")
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<5: _ = try await registry.claim(spelling, for: who)
        case 5..<8: _ = try await registry.hold(spelling, for: who)
        case 8..<10: try await registry.release(handle(name))
        case 10..<13:
            let other = names.randomElement(using: &random) ?? ""
            _ = try await registry.rename(handle(name), to: other, for: who)
        case 13:
            // Only names without look-alikes: an admin may reserve a look-alike of a name in use for another owner.
            let lone = names.suffix(3).randomElement(using: &random) ?? ""
            _ = try await registry.reserve(lone, Reservation(reason: "test", owner: who))
        case 14: _ = try await registry.recase(try #require(DisplayHandle(spelling)))
        default: _ = try await registry.forget(who, Registry.testCause)
        }
    }

    private func freshRegistry(_ lookalikes: Policy.Lookalikes) async throws -> Registry {
        try await TestSupport.freshRegistry { ($0.perOwner, $0.holdPause, $0.lookalikes) = (2, .zero, lookalikes) }
    }

    private func check(_ registry: Registry, _ lookalikes: Policy.Lookalikes) async throws {
        for tooMany in [
            "SELECT owner FROM names WHERE state = 'c' GROUP BY owner HAVING count(*) > 2",
            "SELECT owner FROM names WHERE state = 'h' AND until > now() GROUP BY owner HAVING count(*) > 1",
            "SELECT former FROM names WHERE state = 'q' GROUP BY former HAVING count(*) > 3",
        ] {
            #expect(try await registry.number("SELECT count(*) FROM (\(tooMany)) AS found") == 0, "\(tooMany)")
        }
        guard lookalikes == .strict else { return }
        var seen: Set<LookalikeKey> = []
        for name in Self.names where try await registry.record(of: handle(name))?.state == .claimed {
            #expect(try seen.insert(LookalikeKey(handle(name))).inserted, "claims look alike: \(name)")
        }
    }

    @Test(arguments: Policy.Lookalikes.allCases, [UInt64(1), 2, 3])
    func invariantsHoldAfterRandomOperations(_ lookalikes: Policy.Lookalikes, _ seed: UInt64) async throws {
        let registry = try await freshRegistry(lookalikes)
        var random = SeededGenerator(seed: seed)
        var versions: [String: Int64] = [:]
        for _ in 0..<150 {
            try await Self.randomStep(registry, &random)
            for name in Self.names {
                let version = try await registry.history(of: handle(name)).last?.version ?? 0
                #expect(version >= versions[name, default: 0])
                versions[name] = version
            }
        }
        try await check(registry, lookalikes)
    }

    @Test(arguments: Policy.Lookalikes.allCases)
    func invariantsHoldAfterConcurrentRandomOperations(_ lookalikes: Policy.Lookalikes) async throws {
        let registry = try await freshRegistry(lookalikes)
        let overloaded = NIOLockedValueBox(0)
        try await race(12) { client in
            var random = SeededGenerator(seed: UInt64(client))
            for _ in 0..<60 {
                do {
                    try await Self.randomStep(registry, &random)
                } catch let error as PostgresError where error.code == .overloaded {
                    // The name changed during each attempt of this operation.
                    overloaded.withLockedValue { $0 += 1 }
                }
            }
        }
        #expect(overloaded.withLockedValue(\.self) < 72)
        try await check(registry, lookalikes)
    }
}
