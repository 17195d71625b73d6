import FoundationEssentials
import Postgres
import TestSupport
import Testing

/// Returns parameters of every type.
private struct Echo: Statement {
    var text: String?
    var integer: Int64?
    var boolean: Bool?
    var date: Date?
    var duration: Duration?
    var texts: [String]

    struct Row: Sendable {
        let text: String?
        let integer: Int64?
        let boolean: Bool?
        let date: Date?
        let milliseconds: Int64?
        let count: Int64
        let joined: String
    }

    static let sql = """
        SELECT $1::text, $2::bigint, $3::boolean, $4::timestamptz, (extract(epoch FROM $5::interval) * 1000)::bigint,
            cardinality($6::text[]), array_to_string($6::text[], '|')
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(text)
        parameters.add(integer)
        parameters.add(boolean)
        parameters.add(date)
        parameters.add(duration)
        parameters.add(texts)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        Row(
            text: try row.optionalText(), integer: try row.optionalInteger(), boolean: try row.optionalBoolean(),
            date: try row.optionalDate(), milliseconds: try row.optionalInteger(), count: try row.integer(),
            joined: try row.text())
    }
}

/// A statement with one text column.
struct Plain: Statement {
    static let sql = "SELECT 'plain'"
    func bind(to parameters: inout Parameters) {}
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.text() }
}

/// Another type with the text of ``Plain``.
private struct PlainToo: Statement {
    static let sql = Plain.sql
    func bind(to parameters: inout Parameters) {}
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.text() }
}

/// The name and text of each prepared statement of the session.
private struct PreparedStatements: Statement {
    static let sql = "SELECT name, statement FROM pg_prepared_statements ORDER BY statement"
    func bind(to parameters: inout Parameters) {}
    static func decode(_ row: inout RowReader) throws(PostgresError) -> [String] { [try row.text(), try row.text()] }
}

private struct Insert: Statement {
    let value: Int64
    static let sql = "INSERT INTO numbers VALUES ($1)"
    func bind(to parameters: inout Parameters) { parameters.add(value) }
    typealias Row = NoRow
}

/// A statement that lasts longer than the timeout of any test.
struct Sleep: Statement {
    static let sql = "SELECT pg_sleep(300)"
    func bind(to parameters: inout Parameters) {}
    typealias Row = NoRow
}

/// Returns the texts that were sent.
private struct Unnest: Statement {
    let texts: [String]
    static let sql = "SELECT unnest($1::text[])"
    func bind(to parameters: inout Parameters) { parameters.add(texts) }
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.text() }
}

/// A second statement of this kind, with its own SQL: returns each text twice.
private struct UnnestTwice: Statement {
    let texts: [String]
    static let sql = "SELECT text || text FROM unnest($1::text[]) AS text"
    func bind(to parameters: inout Parameters) { parameters.add(texts) }
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.text() }
}

private var soon: ContinuousClock.Instant { .now + .seconds(60) }

@Suite struct ConnectionTests {
    /// Behind a pooler a name may be that of another client's statement, which must have the same text then.
    @Test func statementIsNamedByItsTextInEverySession() async throws {
        let conninfo = try await TestCluster.shared.emptyDatabase()
        let deadline = ContinuousClock.now + .seconds(120)
        var names: [[[String]]] = []
        for isReversed in [false, true] {
            let connection = try await Connection.open(conninfo, until: deadline)
            let statements: [any Statement] = [Plain(), PlainToo(), Begin(), Commit()]
            for statement in isReversed ? statements.reversed() : statements {
                _ = try await connection.run(statement, until: deadline)
            }
            names.append(try await connection.run(PreparedStatements(), until: deadline))
            await connection.close()
        }
        #expect(names[0] == names[1])
        // Four texts, of which two types share one.
        #expect(Set(names[0].map { $0[0] }).count == 4 && names[0].count == 4)
    }

    @Test func faultSaysTheMeaningOfItsSQLSTATE() async throws {
        let conninfo = try await TestCluster.shared.emptyDatabase()
        let said = await #expect(throws: PostgresError.self) {
            try await execute("SELECT * FROM missing", on: conninfo)
        }
        #expect(said?.description == "refused with SQLSTATE 42P01: a table is missing")
        for state in ["26000", "42P05"] {
            let mixed = PostgresError(.refused, "", sqlState: state)
            #expect(mixed.isOfSetUp && mixed.description.contains("max_prepared_statements"))
        }
        #expect(PostgresError(.refused, "", sqlState: "42501").isOfSetUp)
        #expect(PostgresError(.refused, "", sqlState: "22012").description == "refused with SQLSTATE 22012")
    }

    private func open() async throws -> Connection {
        try await Connection.open(try await TestCluster.shared.emptyDatabase(), until: soon)
    }

    @Test(arguments: ["", "hello", "é'\"\\%{}", "日本", String(repeating: "x", count: 100_000)])
    func textPassesThroughUnchanged(_ text: String) async throws {
        let echo = Echo(text: text, texts: [text, "b"])
        let row = try #require(try await open().run(echo, until: soon).first)
        #expect(row.text == text)
        #expect(row.joined == "\(text)|b")
    }

    @Test func everyTypeAndNullPassThroughUnchanged() async throws {
        let connection = try await open()
        let date = Date(timeIntervalSince1970: 1_800_000_000.123456)
        let full = Echo(
            text: "a", integer: .min, boolean: true, date: date, duration: .milliseconds(1500), texts: [])
        let row = try #require(try await connection.run(full, until: soon).first)
        #expect(row.integer == .min)
        #expect(row.boolean == true)
        #expect(abs((row.date ?? .distantPast).timeIntervalSince(date)) < 0.000_01)
        #expect(row.milliseconds == 1500)
        #expect(row.count == 0)
        let empty = try #require(try await connection.run(Echo(texts: ["x"]), until: soon).first)
        #expect(empty.text == nil && empty.integer == nil && empty.boolean == nil && empty.date == nil)
        #expect(empty.milliseconds == nil)
    }

    /// Parameters and results are larger than the socket buffers of both directions. The server sends the result of the
    /// first statement before it reads the second one, and waits until the client reads: the client must read while it
    /// sends.
    @Test(.timeLimit(.minutes(5))) func pipelineCarriesLargeParametersAndLargeResults() async throws {
        let connection = try await open()
        let deadline = ContinuousClock.now + .seconds(240)
        let texts = (0..<4000).map { "\($0) " + String(repeating: "x", count: 1000) }
        let (first, second) = try await connection.run(
            pipeline: Unnest(texts: texts), UnnestTwice(texts: texts), until: deadline)
        let isFirstWhole = first == texts
        #expect(isFirstWhole)
        let isSecondWhole = second == texts.map { $0 + $0 }
        #expect(isSecondWhole)
        let (third, fourth, fifth) = try await connection.run(
            before: [Unnest(texts: texts)], pipeline: UnnestTwice(texts: texts), Plain(), Unnest(texts: texts),
            until: deadline)
        #expect([third.count, fourth.count, fifth.count] == [4000, 1, 4000])
        let plain = try await connection.run(Plain(), until: deadline)
        #expect(plain == ["plain"])
    }

    @Test func textWithANULIsRefusedAndNotTruncated() async throws {
        let connection = try await open()
        let error = await #expect(throws: PostgresError.self) {
            try await connection.run(Echo(text: "a\0b", texts: []), until: soon)
        }
        #expect(error?.sqlState == "22021")
        #expect(try await connection.run(Plain(), until: soon) == ["plain"])
    }

    @Test func errorHasSQLStateAndConstraintButNoValues() async throws {
        let connection = try await open()
        try await connection.run(
            script: "CREATE TABLE numbers (n bigint CONSTRAINT only_small CHECK (n < 10))", until: soon)
        let error = try #require(
            await #expect(throws: PostgresError.self) { try await connection.run(Insert(value: 4242), until: soon) })
        #expect(error.code == .refused && error.sqlState == "23514" && error.constraint == "only_small")
        #expect(!error.description.contains("4242") && !error.isTransient)
        #expect(try await connection.run(Plain(), until: soon) == ["plain"])
    }

    @Test func statementTimesOutAtTheDeadline() async throws {
        let connection = try await open()
        let start = ContinuousClock.now
        let error = await #expect(throws: PostgresError.self) {
            try await connection.run(Sleep(), until: start + .milliseconds(200))
        }
        #expect(error?.code == .timedOut)
        #expect(ContinuousClock.now - start < .seconds(200))
    }

    @Test func cancelledStatementThrowsACancellationError() async throws {
        let connection = try await open()
        let task = Task { try await connection.run(Sleep(), until: soon) }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }

    /// A retry can't help, so the error is not transient. The error shows no part of the text: it may be the password.
    @Test(arguments: ["host='s3cr3t", "postgresql://u:s3cr3t@[::1", "postgresql://u:s3cr3t%zz@h/x"])
    func malformedConninfoIsRefusedAndNotShown(_ conninfo: String) async {
        let error = await #expect(throws: PostgresError.self) { try await Connection.open(conninfo, until: soon) }
        #expect(error?.code == .invalidConninfo && error?.isTransient == false)
        #expect(error.map { "\($0) \($0.debugDescription)".contains("s3cr3t") } == false)
    }

    @Test(arguments: [
        "host=/nonexistent dbname=x", "host=127.0.0.1 port=1 dbname=x", "postgresql://127.0.0.1:1/x", "nonsense",
    ])
    func failedConnectionIsATransientError(_ conninfo: String) async {
        let error = await #expect(throws: PostgresError.self) { try await Connection.open(conninfo, until: soon) }
        #expect(error?.code == .unavailable && error?.isTransient == true)
    }

    @Test func transactionAfterARollbackIsANewOne() async throws {
        let sum = "SELECT coalesce(sum(n), 0)::bigint FROM numbers"
        let database = try await TestCluster.shared.freshDatabase()
        try await execute("CREATE TABLE numbers (n bigint); GRANT ALL ON numbers TO public;", on: database)
        let pool = patientPool(database)
        try await pool.transaction { transaction in
            // Nothing was sent yet, so there is nothing to roll back.
            try await transaction.rollBack()
            _ = try await transaction.run(Insert(value: 1))
            transaction.runLast(Insert(value: 2))
            try await transaction.rollBack()
            transaction.runLast(Insert(value: 4))
            try await transaction.commit()
        }
        #expect(try await number(sum, on: database) == 4)
        try await pool.transaction { transaction in
            _ = try await transaction.run(Insert(value: 8))
            transaction.runLast(Insert(value: 16))
            try await transaction.commit()
            try await transaction.rollBack()
        }
        #expect(try await number(sum, on: database) == 4 + 8 + 16)
        await pool.close()
    }
}
