import Foundation
import HandleRules
import HandleWords
import NIOConcurrencyHelpers
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

/// Serialised: the tests share a cluster, and one of them makes its workers crash.
@Suite(
    .enabled(if: hasCitus, "Citus is not installed for this machine's PostgreSQL; see `make citus`"), .serialized)
struct CitusTests {
    private var cluster: TestCluster { TestCluster.shared.isDistributed ? .shared : .citus }

    private func freshDatabase() async throws -> String { try await cluster.freshDatabase() }

    @Test func namePassesThroughItsLifeCycleOnManyNodes() async throws {
        let registry = try Registry(pool: patientPool(try await freshDatabase()), policy: Policy())
        #expect(try await registry.hold("JohnDoe", for: owner("one")).kind == .done)
        #expect(try await registry.claim("JohnDoe", for: owner("one")).kind == .done)
        #expect(try await registry.claim("JOHNDOE", for: owner("two")).kind == .refused(.taken))
        #expect(try await registry.rename(handle("johndoe"), to: "jane_doe", for: owner("one")).kind == .done)
        #expect(try await registry.reserve("acme", Reservation(reason: "trademark")).kind == .done)
        #expect(try await registry.claim("acrne", for: owner("two")).kind == .refused(.lookalike))
        #expect(try await registry.availability(of: "johndoe").suggestions.count == 5)
        try await registry.distribute()
        #expect(try await discrepancies(registry).isEmpty)
    }

    @Test func concurrentClaimsOfOneNameHaveOneWinner() async throws {
        let registry = try Registry(pool: patientPool(try await freshDatabase()), policy: .unlimited)
        for round in 0..<5 {
            let outcomes = try await race(16) { racer in
                try await registry.claim("race_\(round)", for: owner("racer-\(racer)")).kind
            }.counts
            #expect(outcomes == [.done: 1, .refused(.taken): 15])
        }
        #expect(try await discrepancies(registry).isEmpty)
    }

    /// A claim during a crash of workers fails with a transient error. Every acknowledged claim is stored afterwards.
    @Test(.timeLimit(.minutes(10))) func acknowledgedClaimsSurviveCrashesOfWorkers() async throws {
        let database = try await freshDatabase()
        let workers = try await cluster.workers(of: database)
        let registry = try Registry(pool: patientPool(database) { $0.timeout = .seconds(5) }, policy: .unlimited)
        let taken = NIOLockedValueBox<[String: Owner]>([:])
        let later = NIOLockedValueBox(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for claimer in 0..<8 {
                group.addTask {
                    var index = claimer
                    while !Task.isCancelled {
                        let (name, who) = (distinctName(index), try owner("owner-\(index)"))
                        index += 8
                        do {
                            let outcome = try await registry.claim(name, for: who).kind
                            #expect(outcome == .done || outcome == .already, "\(name)")
                            taken.withLockedValue { $0[name] = who }
                        } catch let error as PostgresError {
                            #expect(error.isTransient, "\(error)")
                            later.withLockedValue { $0 += 1 }
                        } catch is CancellationError {}
                    }
                }
            }
            for round in 0..<8 {
                let before = taken.withLockedValue(\.count)
                try await eventually("claims succeed again") { taken.withLockedValue(\.count) > before + 20 }
                // The server processes that work for the coordinator.
                let backends = """
                    SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                        AND backend_type = 'client backend'
                    """
                for pid in try await numbers(backends, on: workers[round % workers.count]) {
                    kill(pid_t(pid), SIGKILL)
                }
            }
            group.cancelAll()
            try await group.waitForAll()
        }
        try await eventually("the workers are back, and their prepared commits are finished") {
            do { return try await discrepancies(registry) == [] } catch is PostgresError { return false }
        }
        // A worker that has crashed between the prepare and the commit shows the old row until Citus has finished the
        // prepared transaction.
        for (name, who) in taken.withLockedValue(\.self) {
            let name = try handle(name.lowercased())
            try await eventually("\(name) has the owner that was acknowledged") {
                try await registry.record(of: name)?.owner == who
            }
        }
        #expect(try await discrepancies(registry) == [])
    }

    /// A statement about one name runs only on the node that has the name.
    @Test func statementAboutOneNameRunsOnOneNode() async throws {
        let pool = patientPool(try await freshDatabase())
        let name = try handle("johndoe")
        let display = try #require(DisplayHandle("JohnDoe"))
        let one = try owner("one")
        let mark = OwnerMark(of: one, salt: [UInt8](repeating: 0, count: 32))
        let request = IdempotentRequest(key: "key", caller: "admin", content: [])
        func expectOneTask(_ statement: some Statement) async {
            let plan = await plan(of: statement, pool)
            #expect(plan.contains("Task Count: 1"), "\(type(of: statement)): \(plan)")
        }
        let key = LookalikeKey(name)
        await expectOneTask(LookupRecords(handles: [name]))
        await expectOneTask(LookupNames(keys: [key]))
        await expectOneTask(LookupVersion(handle: name))
        await expectOneTask(LookupEvents(handle: name))
        await expectOneTask(LockAccount(mark: mark, id: one.id, claims: 1))
        await expectOneTask(LockKey(key: key))
        await expectOneTask(LookupStored(keys: [key]))
        let record = Record(
            display: display, state: .claimed, owner: one, former: nil, hold: nil, reason: nil, version: 1, change: 1,
            until: nil, changedAt: Date(), place: 0, protection: nil, isExempt: false, hasLapsed: false)
        await expectOneTask(PutName(name: StoredName(record: record, lastHash: [])))
        let event = Event(
            version: 1, at: record.changedAt, actor: "test", action: .claimed, from: .free, to: .claimed,
            display: display, owner: mark, ownerID: nil, reason: nil, related: nil, until: nil)
        await expectOneTask(AppendEvent(event: ChainedEvent(event, after: nil)))
        await expectOneTask(Confirm(handle: name, version: 1))
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
