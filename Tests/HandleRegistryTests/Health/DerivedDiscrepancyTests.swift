import HandleRegistry
import HandleRules
import TestSupport
import Testing

@testable import HandleRegistry

/// Discrepancies in derived rows: the look-alike keys and the notes of owners follow from the names and their history.
@Suite struct DerivedDiscrepancyTests {
    /// A registry with a name in every state, and look-alikes of some of them.
    private func registry() async throws -> Registry {
        let registry = try await freshRegistry()
        _ = try await registry.claim("johndoe", for: owner("one"))
        _ = try await registry.claim("1ohndoe", for: owner("two"))
        _ = try await registry.hold("held_one", for: owner("three"))
        _ = try await registry.reserve("acme", Reservation(reason: "trademark"))
        _ = try await registry.reserve("4cme", Reservation(reason: "allowed"), allowingLookalike: true)
        _ = try await registry.reserve("zorkton", Reservation(reason: "theirs", owner: owner("four")))
        _ = try await registry.claim("Zorkton", for: owner("four"))
        _ = try await registry.reserve("former", Reservation(reason: "theirs", owner: owner("five")))
        _ = try await registry.claim("former", for: owner("five"))
        try await registry.release(handle("former"))
        _ = try await registry.claim("bygone", for: owner("six"))
        try await registry.release(handle("bygone"))
        _ = try await registry.reserve("formerly", Reservation(reason: "no more"))
        try await registry.release(handle("formerly"))
        #expect(try await discrepancies(registry) == [])
        return registry
    }

    @Test(arguments: [
        (
            "DELETE FROM lookalike_keys",
            [
                "1ohndoe unprotected", "4cme unprotected", "acme unprotected", "bygone unprotected",
                "former unprotected",
                "held_one unprotected", "johndoe unprotected", "zorkton unprotected",
            ]
        ),
        ("UPDATE lookalike_keys SET protector = NULL WHERE protector = 'acme'", ["acme unprotected"]),
        ("UPDATE lookalike_keys SET protector = NULL WHERE protector = 'zorkton'", ["zorkton unprotected"]),
        ("UPDATE lookalike_keys SET protector = NULL WHERE protector = 'former'", ["former unprotected"]),
        ("UPDATE lookalike_keys SET next_protectors = NULL", ["4cme unprotected"]),
        ("UPDATE lookalike_keys SET protected_until = now() WHERE protector = 'acme'", ["acme unprotected"]),
        ("UPDATE lookalike_keys SET protected_until = '2099-01-01' WHERE protector = 'acme'", ["acme unprotected"]),
        ("UPDATE lookalike_keys SET names = NULL, ends = NULL WHERE 'bygone' = ANY(names)", ["bygone unprotected"]),
        (
            "UPDATE lookalike_keys SET ends = NULL WHERE 'held_one' = ANY(names)",
            ["held_one unprotected"]
        ),
        (
            "UPDATE lookalike_keys SET names = names || text 'nobodys' "
                + "WHERE protector = 'zorkton'", ["nobodys stray"]
        ),
        (
            "UPDATE lookalike_keys SET names = names || text 'bygone' "
                + "WHERE protector = 'zorkton'", ["bygone stray"]
        ),
        (
            "INSERT INTO lookalike_keys (key, protector, changed_at) "
                + "VALUES ('zzz', 'formerly', now())", ["formerly stray"]
        ),
        ("UPDATE owners SET holds = '{}', hold_ends = '{}'", ["held_one unlisted"]),
        ("UPDATE owners SET hold_ends = array[now()] WHERE holds <> '{}'", ["held_one unlisted"]),
        ("UPDATE owners SET quarantined = '{}'", ["bygone unlisted", "former unlisted"]),
        ("DELETE FROM owners WHERE id = 'three'", ["held_one unlisted"]),
        ("UPDATE handles SET reason = 'another' WHERE handle = 'acme'", ["acme differs"]),
    ])
    func verifyReportsWrongDerivedRows(_ sql: String, _ expected: [String]) async throws {
        let registry = try await registry()
        try await registry.execute(sql)
        #expect(try await discrepancies(registry) == expected)
    }

    /// An import computes the derived rows anew, so faults in those of the original are not carried over.
    @Test func exportAndImportRebuildTheDerivedRows() async throws {
        let registry = try await registry()
        try await registry.execute(
            "DELETE FROM lookalike_keys; UPDATE owners SET quarantined = '{}', holds = '{}', hold_ends = '{}', claimed = 0"
        )
        let copy = try await freshRegistry()
        #expect(try await restore(lines(registry, withHistory: true), into: copy).refused == [])
        #expect(try await discrepancies(copy) == [])
        for name in ["z0rkton", "f0rmer"] {
            let outcome = try await copy.claim(name, for: owner("stranger")).kind
            #expect(outcome == .refused(.lookalike), "\(name)")
        }
    }

    /// Several pages of names; rows at the first and last place of a page are missing.
    @Test func verifyFindsMissingRowsAtEveryPageBoundary() async throws {
        let registry = try await freshRegistry()
        let names = (0..<5000).map { distinctName($0, prefix: "page") }
        let reservation = Reservation(reason: "many")
        let outcomes = try await BulkReserve(registry, actor: "test")
            .reserve(names.map { NameToReserve(try #require(DisplayHandle($0)), reservation) })
        #expect(outcomes.allSatisfy { $0.outcome.kind == .done })
        let order = names.map { $0.lowercased() }.sorted()
        let lost = [order[0], order[1999], order[2000], order[4999]]
        let list = lost.map { "'\($0)'" }.joined(separator: ", ")
        try await registry.execute("DELETE FROM lookalike_keys WHERE protector IN (\(list))")
        #expect(try await discrepancies(registry) == lost.map { "\($0) unprotected" })
    }

    /// `verify` reads page by page while the service runs: concurrent changes must not look like discrepancies.
    @Test func verifyReportsNothingForConcurrentChanges() async throws {
        let registry = try await freshRegistry()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for round in 0..<40 {
                        let name = distinctName(round % 8, prefix: "busy")
                        let who = try owner("owner-\(worker)")
                        if round.isMultiple(of: 3) {
                            _ = try await registry.hold(name, for: who)
                        } else {
                            _ = try await registry.claim(name, for: who)
                        }
                        _ = try await registry.perform(
                            Release(handle(name.lowercased()), Cause(by: Cause.Actor("test", .owner(who)))))
                    }
                }
            }
            for _ in 0..<10 {
                let found = try await discrepancies(registry)
                #expect(found == [])
            }
            try await group.waitForAll()
        }
        #expect(try await discrepancies(registry) == [])
    }
}
