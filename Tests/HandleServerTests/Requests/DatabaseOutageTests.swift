import HandleRegistry
import Postgres
import TestSupport
import Testing

@Suite struct DatabaseOutageTests {
    @Test func requestGets503WithRetryAfterWhileTheDatabaseIsDown() async throws {
        var pool = Pool.Configuration(conninfo: "host=/nonexistent dbname=x")
        pool.timeout = .seconds(2)
        try await withServer(try Registry(pool: Pool(pool))) { client, anonymous in
            for (method, path, body) in [
                ("GET", "/v1/availability?handle=johndoe", nil), ("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#),
                ("POST", "/v1/holds", #"{"handle":"johndoe","owner":"one"}"#), ("GET", "/readyz", nil),
                ("DELETE", "/v1/handles/johndoe", nil),
            ] as [(String, String, String?)] {
                let answer = try await client.send(method, path, body)
                expectProblem(answer, "\(method) \(path)", 503...503)
                #expect(answer.headers["retry-after"] == "1")
                #expect(!answer.body.contains("\"available\""))
            }
            #expect(try await anonymous.send("GET", "/livez").status == 200)
            // A name that breaks a rule is refused without the database.
            #expect(try await client.send("PUT", "/v1/handles/ab", #"{"owner":"one"}"#).status == 422)
        }
    }

    /// `/readyz` has no rate limit and must not use up the pool.
    @Test func concurrentReadyzRequestsShareOneDatabaseCheck() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        var pool = Pool.Configuration(conninfo: database, statementTimeout: .seconds(60))
        (pool.size, pool.maxWaiters, pool.timeout) = (1, 0, .seconds(60))
        try await withServer(try Registry(pool: Pool(pool))) { _, anonymous in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<100 { group.addTask { try await anonymous.send("GET", "/readyz").status } }
                for try await status in group { #expect(status == 200) }
            }
        }
    }

    @Test func requestGets503WhileTheSchemaIsMissing() async throws {
        let pool = Pool(.init(conninfo: try await TestCluster.shared.emptyDatabase()))
        try await withServer(try Registry(pool: pool)) { client, anonymous in
            expectProblem(try await anonymous.send("GET", "/readyz"), "readyz", 503...503)
            expectProblem(try await anonymous.send("GET", "/v1/availability?handle=abc"), "availability", 503...503)
        }
    }

    @Test func readyzGets503ForTheSchemaOfANewerProgram() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        try await execute("INSERT INTO schema_migrations VALUES (9999, 'future', now())", on: database)
        try await withServer(try Registry(pool: patientPool(database))) { _, anonymous in
            let answer = try await anonymous.send("GET", "/readyz")
            expectProblem(answer, "readyz", 503...503)
            #expect(answer.json["code"] as? String == "not_ready")
        }
    }

    /// A standby, or a database that an operator has made read-only.
    @Test func readyzSaysThatTheDatabaseIsReadOnlyAndChecksGoOn() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let name = try #require(database.firstMatch(of: /dbname=(\w+)/)).1
        let registry = try Registry(pool: patientPool(database))
        try await withServer(registry) { client, anonymous in
            try await execute("ALTER DATABASE \(name) SET default_transaction_read_only = on", on: database)
            await registry.pool.closeIdle()
            // The service does so every second.
            try await registry.refreshWords()
            let ready = try await anonymous.send("GET", "/readyz")
            #expect(ready.status == 200 && ready.body == "ready for checks only: the database refuses writes\n")
            #expect(
                try await client.send("GET", "/v1/availability?handle=johndoe").json["status"] as? String == "available"
            )
            expectProblem(
                try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#), "claim", 503...503)
            await #expect(throws: PostgresError.self) { try await registry.tryWrite() }
            try await execute(
                "ALTER DATABASE \(name) RESET default_transaction_read_only",
                on: database.replacing("dbname=\(name)", with: "dbname=postgres").asSuperuser)
            await registry.pool.closeIdle()
            try await registry.tryWrite()
            #expect(try await anonymous.send("GET", "/readyz").body == "ready\n")
        }
    }

    @Test func readyzSaysThatWritesFailOnAFullDiskUntilOneWorks() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let registry = try Registry(pool: patientPool(database))
        try await withServer(registry) { client, anonymous in
            // The server refuses a write with this SQLSTATE when its disk is full.
            try await execute(
                """
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN RAISE 'no space' USING ERRCODE = '53100'; END $$;
                CREATE TRIGGER full_disk BEFORE INSERT ON handle_events FOR EACH ROW EXECUTE FUNCTION refuse();
                """, on: database)
            #expect(try await anonymous.send("GET", "/readyz").body == "ready\n")
            expectProblem(
                try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#), "claim", 503...503)
            #expect(
                try await anonymous.send("GET", "/readyz").body
                    == "ready for checks only: the database refuses writes\n")
            #expect(try await client.send("GET", "/v1/availability?handle=johndoe").status == 200)
            try await execute("DROP TRIGGER full_disk ON handle_events", on: database)
            #expect(try await client.send("PUT", "/v1/handles/johndoe", #"{"owner":"one"}"#).status == 201)
            #expect(try await anonymous.send("GET", "/readyz").body == "ready\n")
        }
    }
}
