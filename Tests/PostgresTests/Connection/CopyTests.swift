import FoundationEssentials
import Postgres
import TestSupport
import Testing

@Suite struct CopyTests {
    private static let count = """
        SELECT count(*) FROM copied WHERE at = 'epoch' AND raw = '\\x00ff'
            AND ends = ARRAY[NULL, timestamptz 'epoch' + interval '1 s']
            AND tags IS NOT DISTINCT FROM CASE WHEN id % 4 = 0 THEN '{}' WHEN id % 2 = 0 THEN ARRAY['é', ''] END
        """

    private func table() async throws -> (database: String, pool: Pool) {
        let database = try await TestCluster.shared.freshDatabase()
        try await execute(
            """
            CREATE TABLE copied (id bigint PRIMARY KEY, name text, tags text[], at timestamptz, raw bytea, ends timestamptz[]);
            GRANT ALL ON copied TO public;
            """, on: database)
        return (database, patientPool(database))
    }

    private func rows(_ ids: Range<Int64>, name: String?) -> CopyRows {
        var rows = CopyRows(table: "copied", columns: ["id", "name", "tags", "at", "raw", "ends"])
        for id in ids {
            rows.addRow { row in
                row.add(id)
                row.add(name)
                if id.isMultiple(of: 2) { row.add(id.isMultiple(of: 4) ? [] : ["é", ""]) } else { row.addNull() }
                row.add(Date(timeIntervalSince1970: 0))
                row.add(bytes: [0, 0xFF])
                row.add([nil, Date(timeIntervalSince1970: 1)])
            }
        }
        return rows
    }

    private func copy(_ rows: CopyRows, _ pool: Pool) async throws {
        try await pool.transaction { transaction in
            _ = try await transaction.run(Plain())
            try await transaction.copy(rows)
            try await transaction.commit()
        }
    }

    @Test func copyWritesEveryTypeAndManyRows() async throws {
        let (database, pool) = try await table()
        // Some megabytes, so that the send buffer of libpq is full at times.
        let lot = rows(0..<20_000, name: String(repeating: "é", count: 200))
        #expect(lot.count == 20_000)
        try await copy(lot, pool)
        #expect(try await number("SELECT sum(length(name)) FROM copied", on: database) == 20_000 * 200)
        #expect(try await number(Self.count, on: database) == 20_000)
        try await copy(rows(20_000..<20_000, name: nil), pool)
        #expect(try await number(Self.count, on: database) == 20_000)
    }

    /// One duplicate row refuses all rows, wherever it is. The connection stays usable.
    @Test(arguments: [0, 1, 9_999, 19_999])
    func copyWithOneConflictingRowWritesNoRows(_ place: Int64) async throws {
        let (database, pool) = try await table()
        try await copy(rows(place..<place + 1, name: "first"), pool)
        let error = await #expect(throws: PostgresError.self) {
            try await copy(rows(0..<20_000, name: "a longer name so that there are many bytes"), pool)
        }
        #expect(error?.sqlState == "23505" && error?.constraint == "copied_pkey")
        #expect(try await number(Self.count, on: database) == 1)
        #expect(try await pool.run(Plain()) == ["plain"])
        try await copy(rows(30_000..<30_010, name: "more"), pool)
        #expect(try await number(Self.count, on: database) == 11)
    }

    @Test func copyIntoAMissingTableIsRefused() async throws {
        let (_, pool) = try await table()
        var rows = CopyRows(table: "nothing", columns: ["id"])
        rows.addRow { $0.add(Int64(1)) }
        let error = await #expect(throws: PostgresError.self) { try await copy(rows, pool) }
        #expect(error?.sqlState == "42P01")
        #expect(try await pool.run(Plain()) == ["plain"])
    }
}
