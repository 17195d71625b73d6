import HandleRegistry
import HandleRules
import NameFiles
import TestSupport
import Testing

@testable import NameFiles

@Suite struct RegistryTests {
    private let scratch = Scratch()

    /// The largest file has enough rows for the names to be looked up in a copy of the registry, and enough chunks to
    /// be looked up by several queries.
    @Test(arguments: [(Policy.Lookalikes.protected, 500), (.strict, 500), (.protected, 110_000)])
    func validationRefusesNamesThatTheRegistryHas(_ lookalikes: Policy.Lookalikes, _ rows: Int) async throws {
        var policy = Policy.unlimited
        policy.lookalikes = lookalikes
        let registry = try await freshRegistry(policy: policy)
        let owner = try #require(Owner("somebody"))
        let outcomes = [
            try await registry.claim("Claimed_one", for: owner).kind,
            try await registry.hold("held_one", for: owner).kind,
            try await registry.claim("given_back", for: owner).kind,
            try await registry.release(try #require(Handle("given_back"))).kind,
            try await registry.reserve("acme_labs", Reservation(reason: "ours")).kind,
        ]
        #expect(outcomes.allSatisfy { $0 == .done })
        var names = (0..<rows).map { "jane_\($0)" }
        let wanted = [
            (0, "claimed_one", "taken:claimed"), (rows / 3, "HELD_one", "taken:held"),
            (rows / 2, "given_back", "taken:quarantined"), (rows - 2, "acme_labs", "taken:reserved"),
            (rows - 1, "acrne_1abs", "lookalike:acme_labs"),
        ]
        for (row, name, _) in wanted { names[row] = name }
        let file = try scratch.file("names.txt", names.joined(separator: "\n").utf8)
        let job = ValidateJob(
            words: registry.words, policy: policy, registry: registry,
            options: .init(style: ReportStyle(format: .csv, valid: .left), jobs: 3))
        let refused = try OutputFile(path: "\(scratch.path)/refused", input: file)
        let summary = try await job.run(path: file, valid: nil, refused: refused) { _ in }
        let table = try CSVTable("\(scratch.path)/refused", columns: 9)
        let found = table.rows.indices.filter { table.text($0, 5) == "unavailable" }
        #expect(found.map { table.text($0, 0) } == wanted.map { String($0.0 + 1) })
        #expect(found.map { table.text($0, 2) } == wanted.map(\.1))
        #expect(found.map { table.text($0, 6) } == wanted.map(\.2))
        #expect(summary.counts[.unavailable] == wanted.count && summary.counts.rows == rows)
        if lookalikes == .protected { #expect(summary.counts.refused == wanted.count) }
    }
}
