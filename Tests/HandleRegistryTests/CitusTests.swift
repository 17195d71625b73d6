import Foundation
import HandleCore
import Postgres
import TestSupport
import Testing

@testable import HandleRegistry

/// Whether Citus is installed for the PostgreSQL of this machine.
private let hasCitus = ["15", "16", "17", "18"].contains {
    FileManager.default.fileExists(atPath: "/usr/share/postgresql/\($0)/extension/citus.control")
}

/// A statement's plan.
private struct Explain<Explained: Statement>: Statement {
    let statement: Explained

    static var sql: String { "EXPLAIN (COSTS OFF) \(Explained.sql)" }
    func bind(to parameters: inout Parameters) { statement.bind(to: &parameters) }
    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.text() }
}

@Suite(.enabled(if: hasCitus, "Citus is not installed for this machine's PostgreSQL; `make citus` says more"))
struct CitusTests {
    private func freshDatabase() async throws -> String {
        let shared = TestCluster.shared
        return try await (shared.isDistributed ? shared : .citus).freshDatabase()
    }

    @Test func leadsANameThroughItsLifeOnManyNodes() async throws {
        let registry = try Registry(pool: patientPool(try await freshDatabase()), policy: Policy())
        #expect(word(try await registry.hold("JohnDoe", for: owner("one"))) == "held")
        #expect(word(try await registry.claim("JohnDoe", for: owner("one"))) == "taken")
        #expect(word(try await registry.claim("JOHNDOE", for: owner("two"))) == "refused: taken")
        #expect(word(try await registry.rename(handle("johndoe"), to: "jane_doe", for: owner("one"))) == "renamed")
        #expect(word(try await registry.reserve("acme", Reservation(reason: "trademark"))) == "reserved")
        #expect(word(try await registry.claim("acrne", for: owner("two"))) == "refused: lookalike")
        #expect(try await registry.availability(of: "johndoe").suggestions.count == 5)
        try await registry.distribute()
        #expect(try await discrepancies(registry).isEmpty)
    }

    @Test func hasOneWinnerAmongManyRacers() async throws {
        let registry = try Registry(pool: patientPool(try await freshDatabase()), policy: .unlimited)
        for round in 0..<5 {
            let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
                for racer in 0..<16 {
                    group.addTask { word(try await registry.claim("race_\(round)", for: owner("racer-\(racer)"))) }
                }
                return try await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(outcomes == ["taken": 1, "refused: taken": 15])
        }
        #expect(try await discrepancies(registry).isEmpty)
    }

    /// A statement about one name goes to the one node that has it.
    @Test func asksOneNodeAboutOneName() async throws {
        let pool = patientPool(try await freshDatabase())
        let name = try handle("johndoe")
        let display = try #require(DisplayHandle("JohnDoe"))
        let one = try owner("one")
        let mark = OwnerMark(of: one, salt: [UInt8](repeating: 0, count: 32))
        let cause = Cause(actor: "test")
        let request = IdempotentRequest(key: "key", caller: "admin", content: [])
        func expectOneTask(_ statement: some Statement) async {
            let plan = await plan(of: statement, pool)
            #expect(plan.contains("Task Count: 1"), "\(type(of: statement)): \(plan)")
        }
        await expectOneTask(Lookup(handle: name))
        await expectOneTask(LookupLookalike(key: LookalikeKey(name)))
        await expectOneTask(LookupEvents(handle: name))
        await expectOneTask(LockAccount(owner: one, mark: mark, claims: 1))
        await expectOneTask(LockLookalike(handle: name, use: .name(lasting: nil)))
        await expectOneTask(TakeClaim(display: display, owner: one, mark: mark, hold: nil, change: 1))
        await expectOneTask(
            TakeHold(display: display, owner: one, token: "hold_x", duration: .seconds(60), change: 1))
        await expectOneTask(Quarantine(handle: name, version: 1, former: mark, duration: .seconds(60), change: 1))
        await expectOneTask(Free(handle: name, version: 1, change: 1))
        await expectOneTask(PutDisplay(display: display, version: 1, change: 1))
        await expectOneTask(Confirm(handle: name, version: 1))
        await expectOneTask(AppendEvent(handle: name, change: 1, action: .claimed, cause: cause, owner: mark))
        await expectOneTask(TakeKey(request: request, change: 1))
        await expectOneTask(PutAnswer(request: request, answer: Answer(status: 200, headers: [], body: [])))
    }

    private func plan<S: Statement>(of statement: S, _ pool: Pool) async -> String {
        do {
            return try await pool.run(Explain(statement: statement)).joined(separator: "\n")
        } catch {
            return String(reflecting: error)
        }
    }
}
