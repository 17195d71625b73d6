import HandleRules
import TestSupport
import Testing

@testable import HandleRegistry

@Suite(.consistent) struct DryRunTests {
    private static let cause = Registry.testCause

    /// Changes of which some rest on the ones before.
    private static func changes() throws -> [any Change<ChangeOutcome>] {
        let (one, two, three) = (try owner("one"), try owner("two"), try owner("three"))
        let releases = try ["first_name", "second_name", "third_name", "fourth_name", "held_name", "nobodys"].map {
            Release(try handle($0), cause)
        }
        let assigns = [
            Assign("Acme", to: two, cause), Assign("ac_me", to: three, cause), Assign("ac_me", to: two, cause),
            Assign("brand", to: two, if: Precondition(owner: three), cause), Assign("brand", to: two, cause),
            Assign("acme", to: two, cause), Assign("free_name", to: two, cause), Assign("x!", to: two, cause),
        ]
        let renames = [
            Rename(try handle("fifth_name"), to: "acme", for: one, cause),
            Rename(try handle("fifth_name"), to: "adm1n", for: one, cause),
            Rename(try handle("fifth_name"), to: "Sixth_Name", for: one, cause),
            Rename(try handle("fifth_name"), to: "First_Name", for: one, cause),
            Rename(try handle("first_name"), to: "Sixth_Name", for: one, takingBecause: "a trick", cause),
        ]
        return releases + assigns + renames
    }

    private func outcomes(_ registry: Registry, _ dryRun: DryRun?) async throws -> [String] {
        var outcomes: [String] = []
        for change in try Self.changes() {
            let outcome = try await registry.perform(change, in: dryRun)
            let record = outcome.record.map { "\($0.display) \($0.state) \($0.owner?.id ?? "-") \($0.version)" }
            outcomes.append("\(outcome.kind) \(record ?? "")")
        }
        return outcomes
    }

    @Test func dryRunHasTheOutcomesOfTheRunAndChangesNothing() async throws {
        let registry = try await freshRegistry()
        let one = try owner("one")
        for name in ["first_name", "second_name", "third_name", "fourth_name", "fifth_name"] {
            _ = try await registry.claim(name, for: one)
        }
        _ = try await registry.hold("held_name", for: one)
        for name in ["acme", "ac_me"] { _ = try await registry.reserve(name, Reservation(reason: "ours")) }
        _ = try await registry.reserve("brand", Reservation(reason: "theirs", owner: owner("org")))
        let before = try await lines(registry, withHistory: true)
        let planned = try await outcomes(registry, DryRun(registry))
        #expect(try await lines(registry, withHistory: true) == before)
        #expect(try await registry.number("SELECT count(*) FROM owners") == 1)
        #expect(try await outcomes(registry, nil) == planned)
        let (again, made) = (try await lines(registry, withHistory: true), Set(planned.map { $0.prefix { $0 != " " } }))
        #expect(again != before && made.isSuperset(of: ["done", "already", "changed", "notClaimed"]))
        #expect(planned.count { $0.hasPrefix("decision") } == 5)
    }
}
