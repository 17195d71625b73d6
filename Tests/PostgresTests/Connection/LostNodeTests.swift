import TestSupport
import Testing

@testable import Postgres

/// Returns the server's process id, or fails: the first calls in a database fail, as many as `pool(failures:)` set.
private struct FailSome: Statement {
    static let sql = "SELECT pg_backend_pid() + fail_some()"
    func bind(to parameters: inout Parameters) {}
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}

private struct Insert: Statement {
    static let sql = "INSERT INTO things VALUES (1)"
    func bind(to parameters: inout Parameters) {}
    typealias Row = NoRow
}

/// The loss of another node of a distributed database: the statement fails, and the client's connection stays open.
struct LostNodeTests {
    /// - Parameter failures: how many calls of `fail_some` fail. A sequence counts them, because a rollback does not
    ///   undo it.
    private func pool(failures: Int, _ sqlState: String) async throws -> (pool: Pool, conninfo: String) {
        let conninfo = try await TestCluster.shared.emptyDatabase()
        try await execute(
            """
            CREATE TABLE things (n int);
            CREATE SEQUENCE calls;
            CREATE FUNCTION fail_some() RETURNS int LANGUAGE plpgsql AS $$
            BEGIN
                IF nextval('calls') <= \(failures) THEN RAISE 'of a node' USING ERRCODE = '\(sqlState)'; END IF;
                RETURN 0;
            END $$
            """, on: conninfo)
        return (patientPool(conninfo) { $0.size = 1 }, conninfo)
    }

    @Test(arguments: ["57P01", "08006"])
    func statementIsRepeatedOnceOnTheSameConnection(_ sqlState: String) async throws {
        let (pool, _) = try await pool(failures: 1, sqlState)
        let backends = try await [pool.run(FailSome()), pool.run(FailSome())].map(\.first)
        #expect(backends[0] == backends[1])
        #expect(pool.metrics.connections == 1)
        await pool.close()
    }

    @Test func secondLossOfANodeIsReported() async throws {
        let (pool, _) = try await pool(failures: 2, "08006")
        let error = await #expect(throws: PostgresError.self) { try await pool.run(FailSome()) }
        #expect(error?.code == .nodeLost && error?.isTransient == true && error?.isUnheard == true)
        // The connection was kept and is usable.
        #expect(pool.metrics.connections == 1)
        #expect(try await pool.run(FailSome()).count == 1)
        await pool.close()
    }

    @Test func transactionIsRolledBackBeforeItIsRepeated() async throws {
        let (pool, conninfo) = try await pool(failures: 1, "57P01")
        try await pool.transaction { transaction in
            _ = try await transaction.run(Insert())
            _ = try await transaction.run(FailSome())
            try await transaction.commit()
        }
        #expect(try await number("SELECT count(*) FROM things", on: conninfo) == 1)
        #expect(pool.metrics.connections == 1)
        await pool.close()
    }

    struct Report: Sendable, CustomTestStringConvertible {
        let sqlState: String
        var severity = "ERROR"
        var file = "pl_exec.c"
        var function = "exec_stmt_raise"
        let code: PostgresError.Code
        /// The SQLSTATE of the error, when it is not `sqlState`.
        var errorState: String?

        var testDescription: String { "\(severity) \(sqlState) of \(function)" }
    }

    @Test(arguments: [
        Report(sqlState: "57P01", severity: "FATAL", code: .connectionLost),
        Report(sqlState: "57P01", code: .nodeLost),
        Report(sqlState: "08006", severity: "FATAL", code: .connectionLost),
        Report(sqlState: "08006", code: .nodeLost),
        // A protocol violation is a fault of this program.
        Report(sqlState: "08P01", code: .refused),
        Report(sqlState: "08P01", severity: "FATAL", code: .refused),
        Report(sqlState: "57014", code: .refused),
        Report(sqlState: "23505", code: .refused),
        Report(sqlState: "XX000", code: .refused),
        Report(sqlState: "XX000", file: "remote_commands.c", function: "ReportResultError", code: .nodeLost),
        Report(
            sqlState: "XX000", file: "multi_copy.c", function: "ReportCopyError", code: .refused, errorState: "23505"),
    ]) func serverReportDeterminesTheErrorCode(_ report: Report) {
        let error = PostgresError(
            Reported(
                sqlState: report.sqlState, severity: report.severity, file: report.file, function: report.function),
            message: "message of the server", constraint: nil)
        #expect(error.code == report.code)
        #expect(error.sqlState == report.errorState ?? report.sqlState)
    }
}
