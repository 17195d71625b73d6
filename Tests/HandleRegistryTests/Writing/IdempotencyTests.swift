import HandleRules
import Postgres
import TestSupport
import Testing

@testable import HandleRegistry

@Suite struct IdempotencyTests {
    private func request(_ key: String, _ content: String, caller: String = "admin") -> IdempotentRequest {
        IdempotentRequest(key: key, caller: caller, content: Array(content.utf8))
    }

    /// Claims a name. Each execution answers with a new random number, so a stored answer is recognisable.
    private func claim(
        _ registry: Registry, _ name: String, _ id: String, _ request: IdempotentRequest
    ) async throws -> Reply {
        let random = UInt8.random(in: 0...255)
        return try await registry.perform(Claim(name, for: owner(id), Registry.testCause), once: request) { outcome in
            Answer(
                status: outcome.kind == .done ? 201 : 409, headers: ["etag", "x"], body: [random, random, 0, 255])
        }
    }

    @Test func repeatedRequestGetsTheSameAnswerByteForByte() async throws {
        let registry = try await freshRegistry()
        let first = try await claim(registry, "johndoe", "one", request("k1", "a"))
        for _ in 0..<3 { #expect(try await claim(registry, "johndoe", "one", request("k1", "a")) == first) }
        // A refusal is stored too, and repeated even after the name has become free.
        let refused = try await claim(registry, "johndoe", "two", request("k2", "b"))
        try await registry.release(handle("johndoe"))
        #expect(try await claim(registry, "johndoe", "two", request("k2", "b")) == refused)
        #expect(try await claim(registry, "johndoe", "one", request("k1", "a")) == first)
        #expect(try await registry.record(of: handle("johndoe"))?.version == 2)
    }

    @Test func idempotencyKeyWithOtherContentIsRefusedForTheSameCallerOnly() async throws {
        let registry = try await freshRegistry()
        _ = try await claim(registry, "johndoe", "one", request("key", "a"))
        #expect(try await claim(registry, "jane_doe", "one", request("key", "b")) == .otherContent)
        #expect(try await registry.record(of: handle("jane_doe")) == nil)
        guard case .answer = try await claim(registry, "jane_doe", "one", request("key", "b", caller: "other")) else {
            Issue.record("the key of another caller was not independent")
            return
        }
    }

    /// The short timeout is for the key alone: the change waits for row locks as long as without a key.
    @Test func lockTimeoutIsThatOfStatementsOnceTheKeyIsTaken() async throws {
        let pool = patientPool(try await TestCluster.shared.freshDatabase())
        try await pool.transaction { transaction in
            let reply = try await request("key", "a").begin(1, &transaction)
            #expect(reply == nil)
            let equal = try await transaction.run(EqualTimeouts())
            #expect(equal == [1])
            try await transaction.rollBack()
        }
    }

    /// 1 if the transaction waits for a row lock as long as a statement may last.
    private struct EqualTimeouts: NumberQuery {
        static let sql = """
            SELECT count(*) WHERE current_setting('lock_timeout') = current_setting('statement_timeout')
            """
    }

    @Test(.disabled(if: TestCluster.shared.isDistributed, "on Citus the second one waits: docs/decisions/history.md"))
    func requestIsInFlightWhileItsKeyIsLocked() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let registry = try Registry(pool: patientPool(database))
        let pool = patientPool(database)
        let deadline = ContinuousClock.now + .seconds(120)
        let first = request("key", "a")
        try await pool.withConnection(until: deadline) { connection in
            // Another transaction has inserted the key and has not committed yet.
            try await connection.run(
                script: """
                    BEGIN;
                    INSERT INTO idempotency_keys (key, caller, fingerprint, headers, change, replays, taken_at, until)
                    VALUES ('key', 'admin', '', '{}', 1, 0, now(), now() + interval '1 day')
                    """, until: deadline)
            #expect(try await claim(registry, "johndoe", "one", first) == .inFlight)
            try await connection.run(script: "ROLLBACK", until: deadline)
        }
        guard case .answer = try await claim(registry, "johndoe", "one", first) else {
            Issue.record("not carried out after the other transaction was rolled back")
            return
        }
    }

    @Test func concurrentRequestsWithOneKeyAreCarriedOutOnce() async throws {
        let registry = try await freshRegistry()
        for round in 0..<10 {
            let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 0..<12 {
                    group.addTask { try await claim(registry, "race_\(round)x", "one", request("k\(round)", "a")) }
                }
                return try await group.reduce(into: Set<Reply>()) { $0.insert($1) }
            }
            #expect(replies.subtracting([.inFlight]).count == 1)
            #expect(try await registry.record(of: handle("race_\(round)x"))?.version == 1)
        }
        #expect(try await discrepancies(registry).isEmpty)
    }

    @Test func idempotencyKeyIsForgottenAfterItsEnd() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let registry = try Registry(pool: patientPool(database), policy: .unlimited)
        _ = try await claim(registry, "johndoe", "one", request("key", "a"))
        try await execute("UPDATE idempotency_keys SET until = now()", on: database)
        guard case .answer = try await claim(registry, "jane_doe", "one", request("key", "b")) else {
            Issue.record("the key is not free again")
            return
        }
        try await execute("UPDATE idempotency_keys SET until = now()", on: database)
        try await registry.sweep()
        struct Keys: NumberQuery { static let sql = "SELECT count(*) FROM idempotency_keys" }
        #expect(try await number(Keys(), on: database) == 0)
    }
}
