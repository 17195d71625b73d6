import HandleRegistry
import HandleRules
import Postgres
import TestSupport
import Testing

@Suite struct HistoryTests {
    @Test func historyRecordsActorActionAndReason() async throws {
        let registry = try await freshRegistry()
        _ = try await registry.reserve(
            "acme", Reservation(reason: "trademark", owner: owner("acme")), actor: "cli:root")
        _ = try await registry.perform(Claim("Acme", for: owner("acme"), Cause(by: Cause.Actor("key:admin", .admin))))
        _ = try await registry.perform(
            Release(handle("acme"), Cause(by: Cause.Actor("cli:root", .admin), reason: "brand sold")))
        let history = try await registry.history(of: handle("acme"))
        #expect(history.map(\.version) == [1, 2, 3])
        #expect(history.map(\.action) == [.reserved, .claimed, .released])
        #expect(history.map(\.actor) == ["cli:root", "key:admin", "cli:root"])
        #expect(history.map(\.from) == [.free, .reserved, .claimed])
        #expect(history.map(\.to) == [.reserved, .claimed, .quarantined])
        #expect(history.map(\.reason) == ["trademark", nil, "brand sold"])
        #expect(history.allSatisfy { $0.ownerID?.id == "acme" })
        #expect(history[0].at <= history[1].at && history[1].at <= history[2].at)
        #expect(try await discrepancies(registry).isEmpty)
    }

    @Test(arguments: [
        ("UPDATE handle_events SET actor = 'nobody' WHERE handle = 'middle' AND version = 1", "middle broken_chain"),
        ("UPDATE handle_events SET reason = 'x' WHERE handle = 'middle' AND version = 2", "middle broken_chain"),
        ("DELETE FROM handle_events WHERE handle = 'middle' AND version = 2", "middle differs"),
        ("DELETE FROM handle_events WHERE handle = 'middle' AND version = 1", "middle broken_chain"),
        ("DELETE FROM handle_events WHERE handle = 'middle'", "middle no_history"),
        ("DELETE FROM names WHERE handle = 'middle'", "middle no_name"),
        ("UPDATE names SET owner = 'thief' WHERE handle = 'aaron_b'", "aaron_b differs"),
        ("UPDATE names SET changed_at = now() WHERE handle = 'zulu_9'", "zulu_9 differs"),
        ("UPDATE names SET display = 'AARON_B' WHERE handle = 'aaron_b'", "aaron_b differs"),
        ("UPDATE owners SET claimed = 7 WHERE id = 'one'", "miscounted"),
    ])
    func verifyReportsRowsChangedOutsideTheRegistry(_ sql: String, _ found: String) async throws {
        let registry = try await freshRegistry()
        for name in ["aaron_b", "middle", "zulu_9"] { _ = try await registry.claim(name, for: owner("one")) }
        try await registry.release(handle("middle"))
        #expect(try await discrepancies(registry).isEmpty)
        try await registry.execute(sql)
        let all = try await discrepancies(registry)
        #expect(all.contains { $0.hasSuffix(found) }, "\(all)")
        #expect(!all.contains { $0.hasPrefix("zulu_9") } || found.hasPrefix("zulu_9"))
    }

    @Test(arguments: [
        "UPDATE handle_events SET actor = 'nobody'", "DELETE FROM handle_events", "TRUNCATE handle_events",
        "DROP TABLE handle_events", "DELETE FROM names", "UPDATE registry_salt SET salt = salt",
        "ALTER TABLE handle_events DISABLE TRIGGER ALL",
    ])
    func serviceRoleCannotChangeTheHistory(_ sql: String) async throws {
        let registry = try await freshRegistry()
        _ = try await registry.claim("johndoe", for: owner("one"))
        let deadline = ContinuousClock.now + .seconds(120)
        let error = await #expect(throws: PostgresError.self) {
            try await registry.pool.withConnection(until: deadline) { try await $0.run(script: sql, until: deadline) }
        }
        #expect(error?.sqlState == "42501")
        #expect(try await registry.history(of: handle("johndoe")).count == 1)
    }
}
