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
}
