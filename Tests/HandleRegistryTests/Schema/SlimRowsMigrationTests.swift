import Foundation
import HandleCore
import Postgres
import TestSupport
import Testing

@testable import HandleRegistry

/// Migration 17 copies the three large tables into slimmer ones.
@Suite struct SlimRowsMigrationTests {
    private func database(_ rows: String) async throws -> (conninfo: String, registry: Registry) {
        let conninfo = try await TestCluster.shared.emptyDatabase()
        let registry = try Registry(pool: patientPool(conninfo), policy: .unlimited)
        try await registry.migrate(upTo: 16)
        try await execute(rows, on: conninfo)
        return (conninfo, registry)
    }

    private struct Keys: TextQuery {
        static let sql = """
            SELECT ROW(key, protector, extract(year FROM protected_until AT TIME ZONE 'UTC'), next_protectors, names,
                ARRAY(SELECT extract(year FROM e AT TIME ZONE 'UTC') FROM unnest(ends) WITH ORDINALITY AS u (e, n) ORDER BY n),
                exempt)::text
            FROM lookalike_keys ORDER BY key
            """
    }

    /// The settings of each table, and the server's count of its rows.
    private struct Storage: TextQuery {
        static let sql = """
            SELECT concat(reloptions, reltuples) FROM pg_class
            WHERE oid IN ('handles'::regclass, 'lookalike_keys'::regclass, 'handle_events'::regclass) ORDER BY reltuples
            """
    }

    /// Names in every state, with a history of every action.
    private static let everyKind = """
        INSERT INTO handles (handle, display, state, owner, former, hold, reason, version, change, until, changed_at) VALUES
            ('johndoe', 'JohnDoe', 'claimed', 'one', NULL, NULL, NULL, 12, 7, NULL, '2026-01-12Z'),
            ('held_one', 'held_one', 'held', 'two', NULL, 'hold_x', NULL, 1, 8, '2999-01-01Z', '2026-01-01Z'),
            ('acme', 'ACME', 'reserved', NULL, NULL, NULL, 'a "brand"', 1, 9, NULL, '2026-01-01Z'),
            ('gone_one', 'gone_one', 'quarantined', NULL, sha256('three'), NULL, NULL, 1, -1, '2999-01-01Z', '2026-01-01Z'),
            ('free_one', 'free_one', 'free', NULL, NULL, NULL, NULL, 1, 5, NULL, '2026-01-01Z');
        INSERT INTO lookalike_keys
            (key, protector, protected_until, next_protectors, names, ends, exempt, version, changed_at) VALUES
            ('johndoe', NULL, NULL, '{}', '{johndoe}', '{NULL}', '{}', 7, '2026-01-01Z'),
            ('heidone', NULL, NULL, '{}', '{held_one}', '{2999-01-01Z}', '{}', 1, '2026-01-01Z'),
            ('acme', 'acme', NULL, '{4cme}', '{4cme,acrne}', '{2999-01-01Z,NULL}', '{4cme}', 3, '2026-01-01Z'),
            ('goneone', 'gone_one', '2999-01-01Z', '{}', '{gone_one}', '{2999-01-01Z}', '{}', 1, '2026-01-01Z'),
            ('freeone', NULL, NULL, '{}', '{}', '{}', '{}', 2, '2026-01-01Z');
        DO $$
        DECLARE
            e        record;
            previous bytea;
        BEGIN
            FOR e IN
                SELECT h.handle, n AS version, '2026-01-01Z'::timestamptz + (n - 1) * interval '1 day' AS at,
                    'somebody' AS actor,
                    CASE WHEN h.handle = 'johndoe' THEN (ARRAY['held', 'claimed', 'reserved', 'recased', 'released', 'renamed',
                        'moved', 'displaced', 'expired', 'orphaned', 'adopted', 'imported'])[n] ELSE 'imported' END AS action,
                    CASE WHEN n = 1 THEN 'free' ELSE h.state END AS from_state, h.state AS to_state, h.display,
                    coalesce(h.former, sha256(s.salt || convert_to(h.owner, 'UTF8'))) AS owner, h.reason, h.until,
                    CASE WHEN n % 2 = 0 THEN 'acme' END AS related
                FROM registry_salt AS s, handles AS h, LATERAL generate_series(1, h.version) AS n ORDER BY h.handle, n
            LOOP
                IF e.version = 1 THEN
                    previous := '';
                END IF;
                previous := sha256(previous || convert_to(json_build_array(
                    e.handle, e.version, (extract(epoch FROM e.at) * 1000000)::bigint, e.actor, e.action, e.from_state,
                    e.to_state, e.display, encode(e.owner, 'hex'), e.reason, e.related,
                    (extract(epoch FROM e.until) * 1000000)::bigint)::text, 'UTF8'));
                INSERT INTO handle_events
                    (handle, version, at, actor, action, from_state, to_state, display, owner, reason, related, until, hash)
                VALUES (e.handle, e.version, e.at, e.actor, e.action, e.from_state, e.to_state, e.display, e.owner,
                    e.reason, e.related, e.until, previous);
            END LOOP;
        END
        $$
        """

    @Test func recordsKeysAndHistoriesStayTheSame() async throws {
        let (conninfo, registry) = try await database(Self.everyKind)
        #expect(try await registry.migrate() == ["17 slim_rows"])
        let keys = try await texts(Keys(), on: conninfo)
        #expect(
            keys == [
                "(acme,acme,,{4cme},\"{4cme,acrne}\",\"{2999,NULL}\",{4cme})", "(freeone,,,,,{},)",
                "(goneone,gone_one,2999,,{gone_one},{2999},)", "(heidone,,,,{held_one},{2999},)",
                "(johndoe,,,,{johndoe},{},)",
            ])
        // The database has no owners, and no records of two handles in the row of a key.
        let faults = try await discrepancies(registry).sorted().filter {
            !$0.hasSuffix(" unlisted") && !$0.hasSuffix(" miscounted")
        }
        #expect(faults == ["4cme stray", "acrne stray"])
        let johndoe = try #require(try await registry.record(of: handle("johndoe")))
        #expect(johndoe.display.description == "JohnDoe" && johndoe.state == .claimed && johndoe.version == 12)
        #expect(johndoe.owner == (try owner("one")) && johndoe.change == 7)
        #expect(try await registry.record(of: handle("held_one"))?.hold == "hold_x")
        #expect(try await registry.record(of: handle("acme"))?.reason == "a \"brand\"")
        #expect(try await registry.record(of: handle("gone_one"))?.former != nil)
        #expect(try await registry.record(of: handle("gone_one"))?.display.description == "gone_one")
        #expect(try await registry.history(of: handle("free_one")).map(\.action) == [.imported])
        let actions: [Event.Action] = [
            .held, .claimed, .reserved, .recased, .released, .renamed, .moved, .displaced, .expired, .orphaned,
            .adopted,
            .imported,
        ]
        #expect(try await registry.history(of: handle("johndoe")).map(\.action) == actions)
        #expect(
            try await registry.history(of: handle("johndoe")).map(\.related)
                == (1...12).map { $0 % 2 == 0 ? "acme" : nil })
        #expect(try await registry.claim("acrne", for: owner("one")).kind == .refused(.lookalike))
        #expect(try await registry.pool.run(ConstraintsNotValid()).isEmpty)
        // Vacuumed as by default, and counted for the planner and for the size of the hints.
        #expect(try await texts(Storage(), on: conninfo) == ["5", "5", "16"])
    }

    /// Objects of an operator, made before the migration or while it copies.
    @Test(
        arguments: [
            ("CREATE VIEW mine AS SELECT key FROM lookalike_keys", "VIEW"),
            (#"CREATE TABLE mine (handle text COLLATE "C" REFERENCES handles)"#, "TABLE"),
        ], [true, false])
    func objectsThatDependOnTheTablesStopTheMigration(_ object: (sql: String, kind: String), _ isEarly: Bool)
        async throws
    {
        let begin = try ["017_slim_rows", "017_slim_rows_locks"].map { name in
            try String(contentsOf: Repository.root.appendingPathComponent("sql/\(name).sql"), encoding: .utf8)
        }
        let before = isEarly ? "SELECT" : "BEGIN; \(begin.joined()); COMMIT"
        let (conninfo, registry) = try await database("\(before); \(object.sql)")
        let error = await #expect(throws: RegistryError.self) { try await registry.migrate() }
        #expect(error?.code == .unsuitableDatabase)
        #expect(try await registry.pool.run(HasCopyBegun()) == [!isEarly])
        try await execute("DROP \(object.kind) mine", on: conninfo)
        #expect(try await registry.migrate() == ["17 slim_rows"])
    }

    /// Statements of the previous version.
    @Test(arguments: [
        "SELECT handle, state, owner, former, hold FROM handles WHERE handle = 'johndoe' AND state <> 'free'",
        "INSERT INTO handles (handle, display, state, owner, version, change, changed_at) "
            + "VALUES ('janedoe', 'janedoe', 'claimed', 'two', 1, 1, now())",
        "INSERT INTO lookalike_keys (key, protector, protected_until, names, ends, exempt, version, changed_at) "
            + "VALUES ('janedoe', NULL, NULL, '{}', '{}', '{}', 1, now())",
        "UPDATE lookalike_keys SET version = version + 1, changed_at = now() WHERE key = 'johndoe'",
        "INSERT INTO handle_events (handle, version, at, actor, action, from_state, to_state, display, hash) "
            + "VALUES ('janedoe', 1, now(), 'key', 'claimed', 'free', 'claimed', 'janedoe', sha256(''))",
    ])
    func programOfBeforeStopsAtAColumnThatItMisses(_ sql: String) async throws {
        let (conninfo, registry) = try await database("SELECT")
        try await registry.migrate()
        await #expect { try await execute(sql, on: conninfo) } throws: { ($0 as? PostgresError)?.sqlState == "42703" }
    }

    @Test(arguments: [
        (
            "INSERT INTO handles (handle, display, state_code, owner, version, change, changed_at) "
                + "VALUES ('johndoe', 'johndoe', 'c', 'one', 1, 1, now())", "handles_display"
        ),
        (
            "INSERT INTO handles (handle, state_code, owner, version, change, changed_at) "
                + "VALUES ('johndoe', 'x', 'one', 1, 1, now())", "handles_state"
        ),
        (
            "INSERT INTO handles (handle, state_code, owner, version, change, changed_at) "
                + "VALUES ('johndoe', 'c', 'one', 0, 1, now())", "handles_version"
        ),
        (
            "INSERT INTO lookalike_keys (key, exempt, changed_at) VALUES ('johndoe', '{}', now())",
            "lookalike_keys_lists"
        ),
        (
            "INSERT INTO lookalike_keys (key, next_protectors, changed_at) VALUES ('johndoe', '{}', now())",
            "lookalike_keys_lists"
        ),
        ("INSERT INTO lookalike_keys (key, names, changed_at) VALUES ('johndoe', '{}', now())", "lookalike_keys_names"),
        (
            "INSERT INTO lookalike_keys (key, ends, changed_at) VALUES ('johndoe', '{2999-01-01Z}', now())",
            "lookalike_keys_names"
        ),
        (
            "INSERT INTO lookalike_keys (key, names, ends, changed_at) "
                + "VALUES ('johndoe', '{johndoe,john_doe}', '{2999-01-01Z}', now())", "lookalike_keys_names"
        ),
        (
            "INSERT INTO lookalike_keys (key, names, ends, changed_at) VALUES ('johndoe', '{johndoe}', '{NULL}', now())",
            "lookalike_keys_names"
        ),
        (
            "INSERT INTO handle_events (handle, display, version, at, actor, action_code, from_code, to_code, hash) "
                + "VALUES ('johndoe', 'johndoe', 1, now(), 'key', 'c', 'f', 'c', sha256(''))", "handle_events_display"
        ),
        (
            "INSERT INTO handle_events (handle, version, at, actor, action_code, from_code, to_code, hash) "
                + "VALUES ('johndoe', 0, now(), 'key', 'c', 'f', 'c', sha256(''))", "handle_events_version"
        ),
        (
            "INSERT INTO handle_events (handle, version, at, actor, action_code, from_code, to_code, hash) "
                + "VALUES ('johndoe', 1, now(), 'key', 'c', 'f', 'c', '\\x00')", "handle_events_hash"
        ),
    ])
    func rowThatIsNotInItsShortestFormIsRefused(_ sql: String, _ constraint: String) async throws {
        let conninfo = try await TestCluster.shared.freshDatabase()
        await #expect { try await execute(sql, on: conninfo) } throws: {
            ($0 as? PostgresError)?.constraint?.hasPrefix(constraint) ?? false
        }
    }

    @Test func lettersOfStatesAndActionsDiffer() {
        #expect(Set(State.allCases.map(\.code)).count == State.allCases.count)
        #expect(Set(Event.Action.allCases.map(\.code)).count == Event.Action.allCases.count)
    }
}
