import HandleCore
import HandleRegistry
import Postgres
import TestSupport
import Testing

/// Migrations 14 and 15 add kinds of reserved words; the first one renames their column.
@Suite struct WordKindsMigrationTests {
    /// A database with the schema before, and these rows in its table of reserved words.
    private func database(_ rows: String) async throws -> (conninfo: String, registry: Registry) {
        let conninfo = try await TestCluster.shared.emptyDatabase()
        let registry = try Registry(pool: patientPool(conninfo))
        try await registry.migrate(upTo: 13)
        try await execute("INSERT INTO reserved_words VALUES \(rows)", on: conninfo)
        return (conninfo, registry)
    }

    @Test func changesOfBeforeStayInForce() async throws {
        let (_, registry) = try await database(
            """
            ('zebra', 'a', 'exact', 'hand', 'striped', 'hand', now(), NULL, 3), ('okapi', 'b', 'lookalike', 'l', '', 'h', now(), NULL, 1),
            ('quagga', 'c', 'affix', 'hand', '', 'hand', now(), now() + interval '1 day', 1),
            ('blog', 'features', 'none', 'hand', '', 'hand', now(), NULL, 2)
            """)
        try await registry.migrate()
        try await registry.refreshWords()
        #expect(
            try await registry.wordChanges().map(\.kind)
                == [.removed, .word(.lookalike), .word(.affix), .word(.exact)])
        let words = registry.words
        #expect(words.match("zebra")?.category == "a" && words.match("z3bra") == nil)
        #expect(words.match("0kapi") != nil && words.match("real_quagga") != nil)
        #expect(words.match("blog") == nil)
    }

    /// It would take the new kinds for words that were taken off.
    @Test func statementsOfAnEarlierProgramFail() async throws {
        let (conninfo, registry) = try await database("('zebra', 'a', 'exact', 'hand', '', 'hand', now(), NULL, 1)")
        let (read, write) = ("SELECT word, match FROM reserved_words", "UPDATE reserved_words SET match = 'none'")
        for statement in [read, write] { try await execute(statement, on: conninfo) }
        try await registry.migrate()
        for statement in [read, write] {
            await #expect {
                try await execute(statement, on: conninfo)
            } throws: { ($0 as? PostgresError)?.sqlState == "42703" }
        }
    }

    @Test func kindsOfMigration15AreRefusedBefore() async throws {
        let conninfo = try await TestCluster.shared.emptyDatabase()
        let registry = try Registry(pool: patientPool(conninfo))
        try await registry.migrate(upTo: 14)
        try await execute(row("okapi", "authority"), on: conninfo)
        try await execute(row("0kapi", "innocent"), on: conninfo)
        await #expect {
            try await execute(row("zebra", "inside"), on: conninfo)
        } throws: { ($0 as? PostgresError)?.sqlState == "23514" }
        try await registry.migrate()
        try await execute(row("zebra", "inside"), on: conninfo)
        #expect(
            try await registry.wordChanges().map(\.kind) == [.innocent, .word(.authority), .word(.inside)])
        try await registry.refreshWords()
        #expect(registry.words.match("my_z3bras") != nil)
    }

    @Test func databaseRefusesAnUnknownKind() async throws {
        let conninfo = try await TestCluster.shared.freshDatabase()
        for kind in WordKind.allCases {
            try await execute(row("a_\(kind.rawValue)", kind.rawValue), on: conninfo)
        }
        await #expect {
            try await execute(row("zebra", "fuzzy"), on: conninfo)
        } throws: { ($0 as? PostgresError)?.sqlState == "23514" }
    }

    private func row(_ word: String, _ kind: String) -> String {
        "INSERT INTO reserved_words VALUES ('\(word)', 'x', '\(kind)', 'hand', '', 'hand', now(), NULL, 1)"
    }

    /// As others may have written it. The row is reported when it is read.
    @Test func rowOfAnUnknownKindStopsNoMigration() async throws {
        let (conninfo, registry) = try await database("('zebra', 'a', 'exact', 'hand', '', 'hand', now(), NULL, 1)")
        try await execute(
            """
            ALTER TABLE reserved_words DROP CONSTRAINT reserved_words_match;
            UPDATE reserved_words SET match = 'sideways';
            ALTER TABLE reserved_words ADD CONSTRAINT reserved_words_match CHECK (match = 'exact') NOT VALID;
            """, on: conninfo)
        try await registry.migrate()
        #expect(try await registry.isReady())
        await #expect {
            _ = try await registry.refreshWords()
        } throws: { "\($0)".contains("'zebra' has the match 'sideways'") }
    }
}
