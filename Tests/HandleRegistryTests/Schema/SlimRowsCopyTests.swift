import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import HandleRegistry

/// Services of the previous version write while migration 17 copies the rows.
@Suite(.disabled(if: TestCluster.shared.isDistributed, "on Citus the tables are locked instead"))
struct SlimRowsCopyTests {
    /// Names `n00001` to `n12000`, which are three batches of each table. One more call finds the end of a table.
    private func database() async throws -> (conninfo: String, registry: Registry) {
        let conninfo = try await TestCluster.shared.emptyDatabase()
        let registry = try Registry(pool: patientPool(conninfo), policy: .unlimited)
        try await registry.migrate(upTo: 16)
        try await execute(
            """
            INSERT INTO handles (handle, display, state, owner, version, change, changed_at)
            SELECT n, initcap(n), 'claimed', 'o', 1, 1, '2026-01-01Z' FROM (SELECT 'n' || lpad(i::text, 5, '0') AS n
                FROM generate_series(1, 12000) AS i) AS names;
            INSERT INTO lookalike_keys (key, names, ends, exempt, version, changed_at)
            SELECT handle, ARRAY[handle], '{NULL}', '{}', 1, changed_at FROM handles;
            INSERT INTO handle_events (handle, version, at, actor, action, from_state, to_state, display, hash)
            SELECT handle, 1, changed_at, 'test', 'claimed', 'free', 'claimed', display, sha256('') FROM handles;
            ANALYZE handles, lookalike_keys, handle_events
            """, on: conninfo)
        // The rights that a service has.
        try await execute(try script("service_role"), on: conninfo)
        return (conninfo, registry)
    }

    private func script(_ name: String) throws -> String {
        try String(contentsOf: Repository.root.appendingPathComponent("sql/\(name).sql"), encoding: .utf8)
    }

    private func begin(_ conninfo: String) async throws {
        try await execute(
            "BEGIN; \(try script("017_slim_rows")); \(try script("017_slim_rows_triggers")); COMMIT", on: conninfo)
    }

    private func copyBatches(_ count: Int, _ conninfo: String) async throws {
        let deadline = ContinuousClock.now + .seconds(300)
        let connection = try await Connection.open(conninfo, until: deadline)
        defer { Task { await connection.close() } }
        for _ in 0..<count { #expect(try await connection.run(CopyNextRows(), until: deadline) == [""]) }
    }

    /// A hash of all rows of each table.
    private static func hashes(of suffix: String) -> String {
        """
        SELECT 'handles ' || md5(string_agg(ROW(handle, display, state_code, owner, former, hold, reason, version,
            change, until, changed_at)::text, ' ' ORDER BY handle)) FROM handles\(suffix)
        UNION ALL
        SELECT 'lookalike_keys ' || md5(string_agg(ROW(key, protector, protected_until, next_protectors, names, ends,
            exempt, changed_at)::text, ' ' ORDER BY key)) FROM lookalike_keys\(suffix)
        UNION ALL
        SELECT 'handle_events ' || md5(string_agg(ROW(handle, version, at, actor, action_code, from_code, to_code, display,
            owner, reason, related, until, hash)::text, ' ' ORDER BY handle, version)) FROM handle_events\(suffix)
        """
    }

    /// The rows of the previous version, in the new form.
    private struct Before: TextQuery { static let sql = hashes(of: "_as_slim") }
    private struct Copied: TextQuery { static let sql = hashes(of: "_slim") }
    private struct After: TextQuery { static let sql = hashes(of: "") }

    private func hashes(_ query: some TextQuery, _ conninfo: String) async throws -> [String] {
        try await texts(query, on: conninfo).sorted()
    }

    /// Writes, in every column, rows that are copied already and rows that are not, and adds rows on either side.
    private func write(_ round: Int, on conninfo: String) async throws {
        let states = [
            "n00001": "state = 'held', owner = 'p\(round)', former = NULL, hold = 'hold_\(round)'",
            "n06000": "state = 'quarantined', owner = NULL, former = sha256('\(round)'), hold = NULL",
            "n11999": "state = 'reserved', owner = 'q\(round)', former = NULL, hold = NULL",
        ]
        let until = "'2030-01-01Z'::timestamptz + \(round) * interval '1 day'"
        let changes = states.map { name, state in
            """
            UPDATE handles SET \(state), until = \(until), reason = 'reason \(round)', version = version + 1,
                display = CASE WHEN \(round) % 2 = 0 THEN handle ELSE upper(handle) END, change = \(round),
                changed_at = now() WHERE handle = '\(name)';
            UPDATE lookalike_keys SET protector = 'a_\(round)', protected_until = \(until),
                next_protectors = '{b_\(round)}', names = '{\(name),c_\(round)}', ends = ARRAY[\(until), NULL],
                exempt = '{b_\(round)}', changed_at = now() WHERE key = '\(name)';
            INSERT INTO handle_events (handle, version, at, actor, action, from_state, to_state, display, owner, reason,
                related, until, hash)
            SELECT handle, version, changed_at, 'test', 'recased', 'claimed', state, display, sha256('\(round)'), reason,
                'other', until, sha256('\(round)')
                FROM handles WHERE handle = '\(name)';
            """
        }
        let additions = ["a", "n06", "z"].map { prefix in
            """
            INSERT INTO handles (handle, display, state, reason, version, change, changed_at)
            VALUES ('\(prefix)_new_\(round)', '\(prefix)_New_\(round)', 'reserved', 'r', 1, \(round), now());
            INSERT INTO lookalike_keys (key, protector, names, ends, exempt, version, changed_at)
            VALUES ('\(prefix)new\(round)', '\(prefix)_new_\(round)', '{}', '{}', '{}', 1, now());
            INSERT INTO handle_events (handle, version, at, actor, action, from_state, to_state, display, reason, hash)
            VALUES ('\(prefix)_new_\(round)', 1, now(), 'test', 'reserved', 'free', 'reserved', '\(prefix)_New_\(round)',
                'r', sha256(''));
            """
        }
        // A session may have a table of the same name that only it sees.
        try await execute(
            """
            SET ROLE handles_service; CREATE TEMP TABLE handles_slim (); CREATE TEMP VIEW handles_as_slim AS SELECT 1;
            BEGIN; \((changes + additions).joined()) COMMIT
            """, on: conninfo)
        // By hand, as the owner of the table.
        try await execute(
            "UPDATE handle_events SET actor = 'hand', hash = sha256('hand \(round)') WHERE handle IN ('n00002', 'n11998')",
            on: conninfo)
    }

    /// The places of the copy at which a program writes, by the number of batches before: in each table, between them, and
    /// after the last.
    @Test(arguments: [[0], [1], [2], [4], [5], [8], [9], [12], [1, 2, 5, 6, 9, 10, 12]])
    func rowsWrittenMeanwhileAreCopied(_ places: [Int]) async throws {
        let (conninfo, registry) = try await database()
        try await begin(conninfo)
        var done = 0
        for (round, place) in places.enumerated() {
            try await copyBatches(place - done, conninfo)
            done = place
            try await write(round, on: conninfo)
        }
        let before = try await hashes(Before(), conninfo)
        #expect(try await registry.migrate() == ["17 slim_rows"])
        let after = try await hashes(After(), conninfo)
        #expect(after == before)
    }

    /// The batch finds the row that the transaction has written, and waits.
    @Test(.timeLimit(.minutes(5)), arguments: ["COMMIT", "ROLLBACK"])
    func batchCopiesWhatAnUnfinishedTransactionLeaves(_ end: String) async throws {
        let (conninfo, _) = try await database()
        try await begin(conninfo)
        let deadline = ContinuousClock.now + .seconds(240)
        let program = try await Connection.open(conninfo, until: deadline)
        defer { Task { await program.close() } }
        try await program.run(
            script: "BEGIN; UPDATE handles SET change = 99, version = 2 WHERE handle = 'n00003'", until: deadline)
        async let batch: Void = copyBatches(1, conninfo)
        try await eventually("the batch waits for the row") { try await waitingForLocks(on: conninfo) > 0 }
        try await program.run(script: end, until: deadline)
        try await batch
        try await copyBatches(11, conninfo)
        let (copied, before) = (try await hashes(Copied(), conninfo), try await hashes(Before(), conninfo))
        #expect(copied == before)
    }

    @Test func migrationReportsItsProgress() async throws {
        let (conninfo, registry) = try await database()
        // The estimate of the server is exact, because it reads all pages of tables as small as these.
        try await execute(
            """
            INSERT INTO handle_events (handle, version, at, actor, action, from_state, to_state, display, hash)
            SELECT handle, n, changed_at, 'test', 'recased', 'claimed', 'claimed', display, sha256('')
            FROM handles, generate_series(2, 9) AS n;
            ANALYZE handle_events
            """, on: conninfo)
        let lines = Mutex<[String]>([])
        try await registry.migrate { line in lines.withLock { $0.append(line) } }
        #expect(lines.withLock(\.self).count == 1)
        #expect(lines.withLock(\.self).first?.wholeMatch(of: /slim rows: 10\d,\d{3} of about 132,000 rows/) != nil)
    }

    @Test func severalProgramsMigrateTogether() async throws {
        let (one, registry) = try await database()
        try await registry.migrate()
        let (several, _) = try await database()
        let applied = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<4 { group.addTask { try await Registry(pool: patientPool(several)).migrate() } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(applied == ["17 slim_rows"])
        let (alone, together) = (try await hashes(After(), one), try await hashes(After(), several))
        #expect(together == alone)
    }

    /// The transaction asks for a row of the batch, which waits for a row of the transaction.
    @Test(.timeLimit(.minutes(5))) func batchGivesWayToAProgramThatWaitsForIt() async throws {
        let (conninfo, registry) = try await database()
        // So that PostgreSQL ends neither of the two.
        try await execute(
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = 600000', current_database()); END $$",
            on: conninfo.asSuperuser)
        try await begin(conninfo)
        let deadline = ContinuousClock.now + .seconds(240)
        let program = try await Connection.open(conninfo, until: deadline)
        defer { Task { await program.close() } }
        try await program.run(script: "BEGIN; UPDATE handles SET change = 2 WHERE handle = 'n04000'", until: deadline)
        let later = try Registry(pool: patientPool(conninfo), policy: .unlimited)
        async let migration = later.migrate(upTo: 17, lockTimeout: "0", patience: .seconds(240))
        try await eventually("the batch waits for the row") { try await waitingForLocks(on: conninfo) > 0 }
        try await program.run(script: "UPDATE handles SET change = 3 WHERE handle = 'n00001'; COMMIT", until: deadline)
        #expect(try await migration == ["17 slim_rows"])
        #expect(try await registry.record(of: handle("n00001"))?.change == 3)
        #expect(try await registry.record(of: handle("n04000"))?.change == 2)
    }

    /// Work of another session that the beginning, a batch, or the end of the migration waits for.
    enum Obstacle: String, CaseIterable {
        case writing = "LOCK TABLE handle_events IN ROW EXCLUSIVE MODE"
        case changingARow = "UPDATE handles SET change = 2 WHERE handle = 'n11000'"
        case reading = "LOCK TABLE handles IN ACCESS SHARE MODE"
    }

    private func obstruct(by obstacle: Obstacle, _ conninfo: String) async throws -> Connection {
        // Only a migration that has begun has a row to copy.
        if obstacle == .changingARow { try await begin(conninfo) }
        let deadline = ContinuousClock.now + .seconds(240)
        let session = try await Connection.open(conninfo, until: deadline)
        try await session.run(script: "BEGIN; \(obstacle.rawValue)", until: deadline)
        return session
    }

    @Test(.timeLimit(.minutes(5)), arguments: Obstacle.allCases)
    func migrationEndsBehindAnotherSessionAndGoesOnLater(_ obstacle: Obstacle) async throws {
        let (conninfo, registry) = try await database()
        let session = try await obstruct(by: obstacle, conninfo)
        let error = await #expect(throws: PostgresError.self) { try await registry.migrate(upTo: 17, patience: .zero) }
        #expect(error?.code == .timedOut)
        await session.close()
        #expect(try await registry.migrate() == ["17 slim_rows"])
        #expect(try await number(Names(), on: conninfo) == 12_000)
    }

    @Test(.timeLimit(.minutes(5)), arguments: Obstacle.allCases)
    func migrationWaitsForAnotherSession(_ obstacle: Obstacle) async throws {
        let (conninfo, registry) = try await database()
        let session = try await obstruct(by: obstacle, conninfo)
        async let migration = registry.migrate(upTo: 17, patience: .seconds(240))
        try await eventually("the migration waits") { try await waitingForLocks(on: conninfo) > 0 }
        await session.close()
        #expect(try await migration == ["17 slim_rows"])
        #expect(try await number(Names(), on: conninfo) == 12_000)
    }

    private struct Names: NumberQuery { static let sql = "SELECT count(*) FROM handles WHERE state_code = 'c'" }

    @Test(arguments: ["handles", "lookalike_keys", "handle_events"])
    func deletionBeforeTheEndIsRefused(_ table: String) async throws {
        let (conninfo, registry) = try await database()
        try await begin(conninfo)
        for sql in ["DELETE FROM \(table)", "TRUNCATE \(table)"] {
            await #expect { try await execute(sql, on: conninfo) } throws: { error in
                (error as? PostgresError)?.sqlState == "P0001"
            }
        }
        try await registry.migrate()
        try await execute("DELETE FROM \(table)", on: conninfo)
    }
}
