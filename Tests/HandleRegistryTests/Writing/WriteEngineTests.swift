import HandleRules
import HandleWords
import Postgres
import TestSupport
import Testing

@testable import HandleRegistry

/// Names are taken one by one, in batches and in bulk. The results must be the same.
@Suite(.consistent) struct WriteEngineTests {
    /// Some of these names are look-alikes.
    private static let names = [
        "oscar_f", "0scar_f", "osc4r_f", "lima_h", "1ima_h", "papa_k", "quebec_p", "tango_u", "sierra_v", "5ierra_v",
        "romeo_w", "victor_x", "whiskey_y", "yankee_z",
    ]
    private static let owners = (1...9).map { "owner-\($0)" }

    enum Step {
        case claim([(name: String, owner: String)])
        case reserve([(name: String, owner: String?)])
        case hold(String, owner: String)
        case release(String)
        case rename(String, to: String, owner: String)
        case recase(String)
        case assign(String, owner: String)
    }

    /// The names of one step don't look alike and their owners differ, so that their order does not matter.
    private static func step(_ random: inout some RandomNumberGenerator) throws -> Step {
        var keys: Set<LookalikeKey> = []
        let chosen = try names.shuffled(using: &random).filter { keys.insert(LookalikeKey(try handle($0))).inserted }
            .prefix(Int.random(in: 1...8, using: &random))
            .map { Bool.random(using: &random) ? $0 : $0.uppercased() }
        let who = owners.shuffled(using: &random)
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<6: return .claim(Array(zip(chosen, who)))
        case 6..<9: return .reserve(zip(chosen, who).map { ($0, Bool.random(using: &random) ? $1 : nil) })
        case 9..<12: return .hold(chosen[0], owner: who[0])
        case 12..<14: return .rename(chosen[0].lowercased(), to: chosen[chosen.count - 1], owner: who[0])
        case 14: return .recase(chosen[0])
        case 15: return .assign(chosen[0], owner: who[0])
        default: return .release(chosen[0].lowercased())
        }
    }

    /// More names than the bulk path decides one by one. Some are in use before, or look like one that is.
    private static func crowd() -> [Step] {
        let names = (0..<120).map { distinctName($0) }
        return [
            .claim([(names[3], "owner-1"), (names[50] + "_", "owner-2")]), .hold(names[7], owner: "owner-3"),
            .release(names[7]), .reserve(names.map { ($0, nil) }), .release(names[60]),
            .reserve(names.reversed().map { ($0, "owner-4") }),
        ]
    }

    enum Engine: CaseIterable {
        /// Each name of a step in a transaction of its own.
        case single
        /// All names of a step in one transaction.
        case batch
        /// All claims of a step concurrently, and all reservations through the bulk path.
        case bulk

        func claim(_ claims: [Claim], _ registry: Registry) async throws {
            switch self {
            case .single: for claim in claims { _ = try await registry.writes.write(claim) }
            case .batch: _ = try await registry.writes.write(claims)
            case .bulk:
                try await race(claims.count) { try await registry.perform(claims[$0]) }
            }
        }

        func reserve(_ names: [NameToReserve], _ registry: Registry) async throws {
            let bulk = BulkReserve(registry, allowingLookalikes: false, actor: "test")
            let reserves = names.map {
                Reserve(name: $0, allowsLookalike: false, actor: "test", number: newChange())
            }
            switch self {
            case .single: for reserve in reserves { _ = try await registry.writes.write(reserve) }
            case .batch: _ = try await registry.writes.write(reserves)
            case .bulk: _ = try await bulk.reserve(names)
            }
        }
    }

    private func perform(_ step: Step, _ engine: Engine, _ registry: Registry) async throws {
        switch step {
        case .claim(let claims):
            try await engine.claim(
                claims.map { Claim($0.name, for: try owner($0.owner), Registry.testCause) }, registry)
        case .reserve(let names):
            let named = try names.map { name in
                NameToReserve(
                    try #require(DisplayHandle(name.name)),
                    Reservation(reason: "test", owner: try name.owner.map { try owner($0) }))
            }
            try await engine.reserve(named, registry)
        case .hold(let name, let who): _ = try await registry.hold(name, for: owner(who))
        case .release(let name): try await registry.release(handle(name))
        case .rename(let old, let new, let who): _ = try await registry.rename(handle(old), to: new, for: owner(who))
        case .recase(let name): _ = try await registry.recase(try #require(DisplayHandle(name)))
        case .assign(let name, let who):
            _ = try await registry.perform(Assign(name, to: owner(who), Registry.testCause))
        }
    }

    /// A registry with the same salt as others, so that the owners have the same marks.
    private func saltedRegistry(_ lookalikes: Policy.Lookalikes) async throws -> Registry {
        let registry = try await freshRegistry {
            ($0.perOwner, $0.holdPause, $0.lookalikes) = (2, .zero, lookalikes)
        }
        try await registry.execute("UPDATE registry_salt SET salt = sha256('salt')")
        return registry
    }

    /// The whole registry with its history, without the times.
    private func archive(_ registry: Registry) async throws -> [String] {
        try await lines(registry, withHistory: true).filter { !$0.contains("\"kind\":\"end\"") }
            .map { $0.replacing(#/\d{4}-\d\d-\d\dT[0-9:.]+Z/#, with: "") }
    }

    @Test(arguments: Policy.Lookalikes.allCases, [UInt64(1), 2, 3])
    func writeEnginesHaveTheSameResult(_ lookalikes: Policy.Lookalikes, _ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let steps = try (0..<120).map { _ in try Self.step(&random) } + Self.crowd()
        var archives: [[String]] = []
        for engine in Engine.allCases {
            let registry = try await saltedRegistry(lookalikes)
            for step in steps { try await perform(step, engine, registry) }
            archives.append(try await archive(registry))
        }
        #expect(archives[0].count > Self.names.count)
        #expect(archives[0] == archives[1])
        #expect(archives[0] == archives[2])
    }

    /// Claims of one owner or of look-alikes rest on each other, and some are refused before a commit. A dry run has the
    /// same outcomes.
    @Test(arguments: Policy.Lookalikes.allCases)
    func batchOfDependentClaimsHasTheOutcomesOfSingleClaims(_ lookalikes: Policy.Lookalikes) async throws {
        var random = SeededGenerator(seed: 9)
        let (single, batch) = (try await saltedRegistry(lookalikes), try await saltedRegistry(lookalikes))
        for round in 0..<25 {
            let names = Self.names.shuffled(using: &random) + (0..<6).map { distinctName(round * 6 + $0) }
            let claims = try names.map { name in
                Claim(name, for: try owner("owner-\(Int.random(in: 1...25, using: &random))"), Registry.testCause)
            }
            var kinds: [ChangeOutcome.Kind] = []
            for claim in claims { kinds.append(try await single.writes.write(claim).kind) }
            let dry = await BulkClaim(batch, isDryRun: true).claim(claims)
            #expect(dry.outcomes.map(\.?.kind) == kinds)
            let made = await BulkClaim(batch).claim(claims)
            #expect(made.outcomes.map(\.?.kind) == kinds)
            for name in names.prefix(9) {
                for registry in [single, batch] { try await registry.release(handle(name)) }
            }
        }
        #expect(try await archive(single).sorted() == archive(batch).sorted())
        // A refused claim leaves no row.
        let keys = "SELECT count(*) FROM names"
        #expect(try await single.number(keys) == batch.number(keys))
    }
}
