import Foundation
import HandleRules
import HandleWords
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
            "UPDATE names SET protection = NULL WHERE state IN ('c', 'q')",
            ["former unprotected", "zorkton unprotected"]
        ),
        ("UPDATE names SET key = 'zzz' WHERE handle = 'zorkton'", ["zorkton no_name", "zorkton stray"]),
        ("UPDATE names SET last_hash = '' WHERE handle = 'bygone'", ["bygone differs"]),
        (
            """
            INSERT INTO names (key, place, handle, state, reason, version, change, changed_at, protection, exempt, last_hash)
            SELECT key, 9, handle, state, reason, version, change, changed_at, protection, exempt, last_hash
            FROM names WHERE handle = 'acme'
            """, ["acme differs"]
        ),
        ("UPDATE owners SET holds = '{}', hold_ends = '{}'", ["held_one unlisted"]),
        ("UPDATE owners SET hold_ends = array[now()] WHERE holds <> '{}'", ["held_one unlisted"]),
        ("UPDATE owners SET quarantined = '{}', quarantine_ends = '{}'", ["bygone unlisted", "former unlisted"]),
        (
            "UPDATE owners SET quarantine_ends = array[now()] WHERE quarantined <> '{}'",
            ["bygone unlisted", "former unlisted"]
        ),
        ("DELETE FROM owners WHERE id = 'three'", ["held_one unlisted"]),
        ("UPDATE names SET reason = 'another' WHERE handle = 'acme'", ["acme differs"]),
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
            """
            UPDATE names SET protection = NULL WHERE state IN ('c', 'q');
            UPDATE owners SET quarantined = '{}', quarantine_ends = '{}', holds = '{}', hold_ends = '{}', claimed = 0
            """
        )
        let copy = try await freshRegistry()
        #expect(try await restore(lines(registry, withHistory: true), into: copy).refused == [])
        #expect(try await discrepancies(copy) == [])
        for name in ["z0rkton", "f0rmer"] {
            let outcome = try await copy.claim(name, for: owner("stranger")).kind
            #expect(outcome == .refused(.lookalike), "\(name)")
        }
    }

    /// Several pages of names; the events of names at the first and last place of a page are missing.
    @Test func verifyFindsMissingEventsAtEveryPageBoundary() async throws {
        let registry = try await freshRegistry()
        let names = (0..<25_000).map { distinctName($0, prefix: "page") }
        let reservation = Reservation(reason: "many")
        let outcomes = try await BulkReserve(registry, actor: "test")
            .reserve(names.map { NameToReserve(try #require(DisplayHandle($0)), reservation) })
        #expect(outcomes.allSatisfy { $0.outcome.kind == .done })
        let order = try names.map { try handle($0.lowercased()) }
            .sorted { (LookalikeKey($0), $0) < (LookalikeKey($1), $1) }
        let size = NamesWithKeysPage.size
        let lost = [order[0], order[size - 1], order[size], order[2 * size], order[24_999]].map(\.description)
        let list = lost.map { "'\($0)'" }.joined(separator: ", ")
        try await registry.execute("DELETE FROM handle_events WHERE handle IN (\(list))")
        #expect(Set(try await discrepancies(registry)) == Set(lost.map { "\($0) no_history" }))
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

    @Test(arguments: [
        "UPDATE owners SET lock_end = NULL", "UPDATE owners SET lock_end = now() + interval '1 hour'",
        "UPDATE owner_events SET reason = 'another' WHERE version = 1", "DELETE FROM owner_events",
        "DELETE FROM owner_events WHERE version = 2",
    ])
    func verifyReportsAChangedLock(_ sql: String) async throws {
        let registry = try await freshRegistry()
        _ = try await registry.lock(owner("one"), until: .now + 86400, Registry.testCause)
        _ = try await registry.lock(owner("one"), until: nil, Registry.testCause)
        #expect(try await discrepancies(registry) == [])
        try await registry.execute(sql)
        let found = try await discrepancies(registry)
        #expect(!found.isEmpty && found.allSatisfy { $0.hasSuffix("broken_lock") }, "\(found)")
    }
}
