import HandleRules
import Postgres
import TestSupport
import Testing

@testable import HandleRegistry

@Suite(.consistent) struct IdempotencyTests {
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
            let areEqual = try await transaction.run(EqualTimeouts())
            #expect(areEqual == [true])
            try await transaction.rollBack()
        }
    }

    /// Whether the transaction waits for a row lock as long as a statement may last.
    private struct EqualTimeouts: Statement {
        static let sql = "SELECT current_setting('lock_timeout') = current_setting('statement_timeout')"
        func bind(to parameters: inout Parameters) {}
        static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.boolean() }
    }

    @Test(.notOnCitus("the second one waits: docs/decisions/history.md"))
    func requestIsInFlightWhileItsKeyIsLocked() async throws {
        let registry = try await freshRegistry()
        let first = request("key", "a")
        // Another transaction has inserted the key and has not committed yet.
        let other = try await LockingSession(
            """
            INSERT INTO idempotency_keys (key, caller, fingerprint, headers, change, replays, taken_at, until)
            VALUES ('key', 'admin', '', '{}', 1, 0, now(), now() + interval '1 day')
            """, on: registry.database)
        #expect(try await claim(registry, "johndoe", "one", first) == .inFlight)
        try await other.letGo(after: "ROLLBACK")
        guard case .answer = try await claim(registry, "johndoe", "one", first) else {
            Issue.record("not carried out after the other transaction was rolled back")
            return
        }
    }

    @Test func concurrentRequestsWithOneKeyAreCarriedOutOnce() async throws {
        let registry = try await freshRegistry()
        for round in 0..<10 {
            let replies = try await race(12) { _ in
                try await claim(registry, "race_\(round)x", "one", request("k\(round)", "a"))
            }
            #expect(Set(replies).subtracting([.inFlight]).count == 1)
            #expect(try await registry.record(of: handle("race_\(round)x"))?.version == 1)
        }
    }

    @Test func idempotencyKeyIsForgottenAfterItsEnd() async throws {
        let registry = try await freshRegistry()
        _ = try await claim(registry, "johndoe", "one", request("key", "a"))
        try await registry.execute("UPDATE idempotency_keys SET until = now()")
        guard case .answer = try await claim(registry, "jane_doe", "one", request("key", "b")) else {
            Issue.record("the key is not free again")
            return
        }
        try await registry.execute("UPDATE idempotency_keys SET until = now()")
        try await registry.sweep()
        #expect(try await registry.number("SELECT count(*) FROM idempotency_keys") == 0)
    }
}
