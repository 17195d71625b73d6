import Foundation
import HandleCore
import HandleRegistry
import Postgres
import Synchronization
import TestSupport
import Testing

/// Migration 13 computes the look-alike keys of stored names by the rule of `LookalikeKey`.
@Suite struct LookalikeKeysMigrationTests {
    /// A database with the schema before, and these rows in its table of look-alikes.
    private func database(_ rows: String) async throws -> (conninfo: String, registry: Registry) {
        let conninfo = try await TestCluster.shared.emptyDatabase()
        let registry = try Registry(pool: patientPool(conninfo), policy: .unlimited)
        try await registry.migrate(upTo: 12)
        try await execute(
            """
            INSERT INTO lookalikes
                (key, protector, protected_until, next_protectors, names, ends, exempt, version, changed_at) \(rows)
            """, on: conninfo)
        return (conninfo, registry)
    }

    /// A row of the new table as text.
    private struct Rows: TextQuery {
        static let sql = """
            SELECT concat_ws(' | ', key, 'for ' || protector, 'until ' || extract(year FROM protected_until AT TIME ZONE 'UTC'),
                'then ' || nullif(array_to_string(next_protectors, ' '), ''),
                'in use ' || nullif(array_to_string(names, ' '), ''),
                'ends ' || nullif(array_to_string(
                    ARRAY(SELECT extract(year FROM e AT TIME ZONE 'UTC') FROM unnest(ends) WITH ORDINALITY AS u (e, n) ORDER BY n), ' ', '-'), ''),
                'exempt ' || nullif(array_to_string(exempt, ' '), ''), version)
            FROM lookalike_keys ORDER BY key
            """
    }

    private func rows(_ conninfo: String) async throws -> [String] { try await texts(Rows(), on: conninfo) }

    @Test(arguments: [
        // Names that look alike stay together, with all that is noted of them.
        (
            "('rn', 'acme', '2031-01-01Z', '{4cme}', '{4cme,acrne}', '{2032-01-01Z,NULL}', '{4cme}', 7, now())",
            ["acme | for acme | until 2031 | then 4cme | in use 4cme acrne | ends 2032 - | exempt 4cme | 7"]
        ),
        // Names that don't are separated. What was kept after the protector is now kept by itself.
        (
            """
            ('iva', 'ivan', NULL, '{iwan}', '{iwan,ivvan,1van}', '{2032-01-01Z,NULL,2033-01-01Z}', '{iwan,1van}', 3, now())
            """,
            [
                "ivan | for ivan | in use 1van | ends 2033 | exempt 1van | 3",
                "iwan | for iwan | until 2032 | in use iwan ivvan | ends 2032 - | 3",
            ]
        ),
        // The first of several that are kept after the protector, and the next.
        (
            "('m', 'dam', NULL, '{damn,d4mn}', '{damn,d4mn}', '{NULL,NULL}', '{damn,d4mn}', 2, now())",
            ["dam | for dam | 2", "damn | for damn | then d4mn | in use damn d4mn | ends - - | exempt d4mn | 2"]
        ),
        // A name that was allowed is like no other now.
        (
            "('an', 'ana', NULL, '{}', '{anna}', '{NULL}', '{anna}', 2, now())",
            ["ana | for ana | 2", "anna | in use anna | ends - | 2"]
        ),
        // A protector that is also in use, and a row without names.
        (
            """
            ('tom', 'tom2', NULL, '{}', '{tom2,tom22}', '{NULL,NULL}', '{}', 2, now()),
            ('zz', NULL, NULL, '{}', '{}', '{}', '{}', 9, now())
            """,
            ["tomz | for tom2 | in use tom2 | ends - | 2", "tomzz | in use tom22 | ends - | 2"]
        ),
        // A name that is noted under a wrong key is joined with those that it looks like.
        (
            """
            ('acme', 'acme', NULL, '{}', '{}', '{}', '{}', 2, now()),
            ('zebra', 'zebra', NULL, '{}', '{acrne}', '{NULL}', '{}', 2, now())
            """,
            ["acme | for acme | in use acrne | ends - | 2", "zebra | for zebra | 2"]
        ),
    ])
    func migrationSplitsRowsByTheNewKeys(_ old: String, _ new: [String]) async throws {
        let (conninfo, registry) = try await database("VALUES \(old)")
        try await registry.migrate(upTo: 13)
        #expect(try await rows(conninfo) == new)
    }

    /// The migration has the rule of the key in SQL.
    @Test func migrationComputesTheKeysOfLookalikeKey() async throws {
        var random = SeededGenerator(seed: 13)
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789__rnmclidwvvlli1".utf8)
        let names = Set(
            (0..<5_000).compactMap { _ -> Handle? in
                let few = Bool.random(using: &random)
                let letters = few ? Array(alphabet.shuffled(using: &random).prefix(3)) : alphabet
                let length = Int.random(in: 3...15, using: &random)
                let bytes = (0..<length).map { _ in letters.randomElement(using: &random) ?? 0 }
                return Handle(String(decoding: bytes, as: UTF8.self))
            })
        let values = names.map { "('\($0)', NULL, NULL, '{}', '{\($0)}', '{NULL}', '{}', 1, now())" }
        let (conninfo, registry) = try await database("VALUES " + values.joined(separator: ", "))
        try await registry.migrate(upTo: 13)
        let found = try await rows(conninfo).flatMap { row -> [String] in
            let fields = row.components(separatedBy: " | ")
            let inUse = fields[1].dropFirst("in use ".count).split(separator: " ")
            return inUse.map { "\($0) \(fields[0])" }
        }
        #expect(names.count > 3_000)
        #expect(Set(found) == Set(names.map { "\($0) \(LookalikeKey($0))" }))
    }

    /// A program that writes keys by the old rule must not find the table.
    @Test func migrationRemovesTheTableOfEarlierPrograms() async throws {
        let (conninfo, registry) = try await database("VALUES ('k', 'kite', NULL, '{}', '{}', '{}', '{}', 1, now())")
        try await registry.migrate(upTo: 13)
        await #expect { try await execute("UPDATE lookalikes SET version = 2", on: conninfo) } throws: { error in
            (error as? PostgresError)?.sqlState == "42P01"
        }
    }

    /// The rows are copied in pages. A name with a wrong key may be on another page than those that it looks like.
    @Test func longMigrationReportsItsProgress() async throws {
        let (conninfo, registry) = try await database(
            """
            VALUES ('acme', NULL, NULL, '{}', '{acrne}', '{NULL}', '{}', 1, now()),
                ('zebra', 'acme', '2031-01-01Z', '{4cme}', '{4cme}', '{2032-01-01Z}', '{4cme}', 1, now());
            INSERT INTO lookalikes
            SELECT 'k' || n, 'kite' || n, NULL, '{}', '{}', '{}', 1, now() FROM generate_series(1, 99999) AS n
            """)
        let lines = Mutex<[String]>([])
        try await registry.migrate(upTo: 13) { line in lines.withLock { $0.append(line) } }
        #expect(
            lines.withLock(\.self) == [
                "look-alike keys: 50,000 of 100,001 rows", "look-alike keys: 100,000 of 100,001 rows",
                "look-alike keys: 100,001 of 100,001 rows",
            ])
        let rows = try await rows(conninfo)
        #expect(rows.count == 100_000)
        #expect(
            rows.first == "acme | for acme | until 2031 | then 4cme | in use acrne 4cme | ends - 2032 | exempt 4cme | 1"
        )
    }

    /// Otherwise all the work would be lost when an export takes too long.
    @Test func migrationWaitsForReadersOfTheTableBeforeItsWork() async throws {
        let (conninfo, registry) = try await database(
            "SELECT 'k' || n, 'kite' || n, NULL, '{}', '{}', '{}', '{}', 1, now() FROM generate_series(1, 50001) AS n")
        let deadline = ContinuousClock.now + .seconds(600)
        let reader = try await Connection.open(conninfo, until: deadline)
        try await reader.run(script: "BEGIN; SELECT count(*) FROM lookalikes", until: deadline)
        let lines = Mutex(0)
        let hasEnded = Mutex(false)
        let migration = Task {
            defer { hasEnded.withLock { $0 = true } }
            try await registry.migrate(upTo: 13) { _ in lines.withLock { $0 += 1 } }
        }
        try await eventually("the migration waits for the reader, or no longer") {
            if hasEnded.withLock(\.self) { return true }
            return try await waitingForLocks(on: conninfo) > 0
        }
        #expect(lines.withLock(\.self) == 0)
        try await reader.run(script: "COMMIT", until: deadline)
        // The migration has a time limit for the lock, which may have passed.
        _ = await migration.result
        try await registry.migrate(upTo: 13)
        #expect(try await rows(conninfo).count == 50_001)
    }
}
