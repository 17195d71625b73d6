import Foundation
import HandleRegistry
import HandleRules
import TestService
import TestSupport
import Testing

@Suite struct ValidateRegistryTests {
    private let folder = TemporaryFolder.make("validate-registry")

    /// Variables with the database of a registry that has names in every state.
    private func registry(_ lookalikes: String) async throws -> [String: String] {
        let database = try await TestCluster.shared.freshDatabase()
        let registry = try Registry(pool: patientPool(database), policy: .unlimited)
        let somebody = try owner("somebody")
        let outcomes = [
            try await registry.claim("JohnDoe", for: somebody).kind,
            try await registry.hold("held_one", for: somebody).kind,
            try await registry.claim("given_back", for: somebody).kind,
            try await registry.release(handle("given_back")).kind,
            try await registry.reserve("acme_labs", Reservation(reason: "ours")).kind,
        ]
        #expect(outcomes.allSatisfy { $0 == .done })
        return ["DATABASE_URL": database, "HANDLES_LOOKALIKES": lookalikes]
    }

    @Test(arguments: ["protected", "strict"])
    func validateWithTheRegistryDecidesAsCheckDoes(_ lookalikes: String) async throws {
        let variables = try await registry(lookalikes)
        let added = try await Program.run(["words", "add", "zeppelin", "--category", "ours"], in: folder, variables)
        #expect(added.status == 0, "\(added.words)")
        let names = [
            "JohnDoe", "j0hnd0e", "HELD_ONE", "he1d_one", "given_back", "@given_back", "acme_labs", "acrne_1abs",
            "ACMELABS", "zeppelin", "admin", "adm1n", "real_admin", "x", "日本", "e\u{301}lan", "ｊａｎｅ", "_jane",
            "12345", "\u{85}", "@\u{2009}", "@", "jane_doe", "much_too_long_a_name", "\u{3000}", "a b", "jane!",
        ]
        let check = try await Program.run(["check", "--json", "--"] + names, in: folder, variables)
        try names.map { $0 + "\n" }.joined().write(toFile: "\(folder)/names.txt", atomically: true, encoding: .utf8)
        let all = try await Program.run(["validate", "--registry", "--json", "names.txt"], in: folder, variables)
        #expect(check.status == 1 && all.status == 1, "\(check.words)\(all.words)")
        let expected = try ValidateTests.objects(check.output)
        let found = try ValidateTests.objects(all.output)
        try #require(expected.count == names.count && found.count == names.count)
        for (row, name) in names.enumerated() {
            let decision = found[row].filter { expected[row].keys.contains($0.key) }
            var members = expected[row]
            members["status"] = nil
            let isSame = NSDictionary(dictionary: decision) == NSDictionary(dictionary: members)
            #expect(isSame, "\(name): \(decision), not \(expected[row])")
            let verdict = found[row]["result"] as? String
            let isDuplicate = found[row]["duplicate"] != nil
            let expectedVerdict =
                expected[row]["status"] as? String == "available"
                ? (isDuplicate && verdict == "duplicate" ? "duplicate" : "valid") : expected[row]["status"] as? String
            #expect(verdict == expectedVerdict, "\(name)")
        }
        let states = found.compactMap { object in
            (object["reasons"] as? [[String: Any]])?.compactMap { $0["state"] as? String }.first
        }
        #expect(states == ["claimed", "held", "quarantined", "quarantined", "reserved"])
        let originals = found.compactMap { object in
            (object["reasons"] as? [[String: Any]])?.compactMap { $0["original"] as? String }.first
        }
        #expect(originals.contains("acme_labs"))
        // Without the registry no name is taken.
        let alone = try await Program.run(["validate", "--json", "names.txt"], in: folder, variables)
        #expect(!alone.output.contains("taken") && !alone.output.contains("\"lookalike\",\"message\""))
    }

    /// The largest file has enough rows for the names to be looked up in a copy of the registry, and enough chunks to
    /// be looked up by several queries.
    @Test(arguments: [("protected", 500), ("strict", 500), ("protected", 110_000)])
    func validateRefusesNamesThatTheRegistryHas(_ lookalikes: String, _ rows: Int) async throws {
        var names = (0..<rows).map { "jane_\($0)" }
        let wanted = [
            (0, "johndoe", "taken:claimed,,"), (rows / 3, "HELD_one", "taken:held,,"),
            (rows / 2, "given_back", "taken:quarantined,,"), (rows - 2, "acme_labs", "taken:reserved,,"),
            (rows - 1, "acrne_1abs", "lookalike:acme_labs,lookalike,\(rows - 1)"),
        ]
        for (row, name, _) in wanted { names[row] = name }
        let result = try await Program.run(
            ["validate", "--registry", "--jobs", "3"], in: folder, registry(lookalikes),
            input: names.joined(separator: "\n"))
        let refused = result.output.split(separator: "\n").dropFirst()
        #expect(
            refused.filter { $0.contains(",unavailable,") }
                == wanted.map { "\($0 + 1),\($0 + 1),\($1),\($1.lowercased()),\($1),unavailable,\($2)" })
        #expect(lookalikes == "strict" || refused.count == wanted.count)
        #expect(result.status == 1 && result.words.contains("\n    taken              4\n"))
    }

    @Test func interruptedValidateReportsTheRowsDone() async throws {
        let variables = ["DATABASE_URL": try await TestCluster.shared.freshDatabase()]
        let names = (0..<100_000).map { "jane_\($0)\n" }.joined()
        let (output, words) = try await Endless(in: folder, ["validate", "--registry"], with: variables, names).end(
            SIGINT, afterBytes: 1)
        #expect(output.hasPrefix("line,record,") && output.hasSuffix("\n"))
        #expect(words.contains(" rows: "))
        #expect(words.hasSuffix("\nInterrupted: these are the results so far.\nhandles: interrupted\n"))
    }
}
