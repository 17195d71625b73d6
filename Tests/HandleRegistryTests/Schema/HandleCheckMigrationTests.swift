import HandleRegistry
import Postgres
import TestSupport
import Testing

/// Migration 16 replaces the check of names by a faster one of the same rule.
@Suite struct HandleCheckMigrationTests {
    /// The condition of the check, as the database has it.
    private struct Condition: TextQuery {
        static let sql = "SELECT pg_get_expr(conbin, conrelid) FROM pg_constraint WHERE conname = 'handles_handle'"
    }

    private struct Validated: NumberQuery {
        static let sql = "SELECT count(*) FROM pg_constraint WHERE conname = 'handles_handle' AND convalidated"
    }

    private struct Names: NumberQuery { static let sql = "SELECT count(*) FROM handles WHERE handle = 'johndoe'" }

    private func database() async throws -> (conninfo: String, registry: Registry) {
        let conninfo = try await TestCluster.shared.emptyDatabase()
        let registry = try Registry(pool: patientPool(conninfo))
        try await registry.migrate(upTo: 15)
        return (conninfo, registry)
    }

    /// Each text of up to six of ten characters: those at the ends of the ranges, others outside of them. Some of them are
    /// also at the beginning and the end of texts around the greatest length.
    @Test func bothChecksAgreeOnAMillionTexts() async throws {
        let (conninfo, registry) = try await database()
        let old = try #require(try await texts(Condition(), on: conninfo).first)
        try await registry.migrate(upTo: 16)
        let new = try #require(try await texts(Condition(), on: conninfo).first)
        #expect(new != old)
        try await execute(
            """
            CREATE TABLE texts AS
                WITH RECURSIVE texts (t) AS (
                    SELECT '' UNION ALL
                    SELECT t || c FROM texts, unnest(ARRAY['a', 'z', '0', '9', '_', 'A', '-', '`', 'é', E'\\n']) AS c
                    WHERE length(t) < 6
                )
                SELECT t COLLATE "C" AS handle FROM texts;
            INSERT INTO texts
                SELECT x FROM texts AS t, unnest(ARRAY['a', '0', '_']) AS c, generate_series(13, 16) AS n,
                    unnest(ARRAY[rpad(t.handle, n, c), lpad(t.handle, n, c)]) AS x WHERE length(t.handle) < 4;
            DO $$
            DECLARE
                total     bigint;
                accepted  bigint;
                different text;
            BEGIN
                SELECT count(*), count(*) FILTER (WHERE \(new)), min(handle) FILTER (WHERE (\(old)) <> (\(new)))
                    INTO total, accepted, different FROM texts;
                IF total < 1000000 OR accepted < 10000 OR different IS NOT NULL THEN
                    RAISE EXCEPTION '% texts, % accepted, different: %', total, accepted, different;
                END IF;
            END
            $$
            """, on: conninfo)
    }

    @Test func namesOfBeforeStayAndTheCheckIsValidated() async throws {
        let (conninfo, registry) = try await database()
        let insertion = """
            INSERT INTO handles (handle, display, state, owner, version, change, changed_at)
            VALUES ('NAME', 'NAME', 'claimed', 'o', 1, 1, now())
            """
        try await execute(insertion.replacing("NAME", with: "johndoe"), on: conninfo)
        try await registry.migrate(upTo: 16)
        #expect(try await number(Validated(), on: conninfo) == 1)
        #expect(try await number(Names(), on: conninfo) == 1)
        for name in ["_johndoe", "12345", "jo", "john-doe", "johndoe_johndoe_"] {
            await #expect {
                try await execute(insertion.replacing("NAME", with: name), on: conninfo)
            } throws: { ($0 as? PostgresError)?.constraint == "handles_handle" }
        }
    }
}
