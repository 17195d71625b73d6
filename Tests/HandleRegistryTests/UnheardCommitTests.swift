import HandleCore
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import HandleRegistry
@testable import Postgres

/// Operations that lose their connection during the COMMIT. The history shows whether the transaction was committed.
@Suite struct UnheardCommitTests {
    /// An operation without a reply to its COMMIT reports its own change as new, not as one that existed already.
    @Test(.timeLimit(.minutes(5))) func everyOperationReportsItsOwnLostCommitAsDone() async throws {
        let (proxy, registry, database) = try await ChaosProxy.start()
        func perform<O: Operation>(_ operation: O) async throws -> O.Outcome {
            let before = proxy.commitsLost
            proxy.set(.losesNextCommit {})
            let outcome = try await registry.perform(operation)
            #expect(proxy.commitsLost == before + 1)
            return outcome
        }
        let (ada, cause) = (try owner("ada"), Registry.testCause)
        let held = try await perform(Hold("ada_lind", for: ada, cause)).kind
        #expect(held == .done)
        let claimed = try await perform(Claim("ada_lind", for: ada, cause)).kind
        #expect(claimed == .done)
        let recased = try await perform(Recase(try #require(DisplayHandle("Ada_Lind")), cause)).kind
        #expect(recased == .done)
        let renamed = try await perform(Rename(handle("ada_lind"), to: "ada_l", for: ada, cause)).kind
        #expect(renamed == .done)
        let released = try await perform(Release(handle("ada_l"), cause)).kind
        #expect(released == .done)
        _ = try await registry.reserve("acme", Reservation(reason: "trademark"))
        let assigned = try await perform(Assign("acme", to: ada, cause)).kind
        #expect(assigned == .done)
        #expect(try await registry.history(of: handle("ada_l")).map(\.action) == [.renamed, .released])
        #expect(try await discrepancies(Registry(pool: patientPool(database))).isEmpty)
    }

    /// Another operation changes the name before the retry. The retry leaves that change alone and does nothing twice.
    @Test(.timeLimit(.minutes(5))) func operationWithALostCommitLeavesLaterChangesAlone() async throws {
        let (proxy, registry, database) = try await ChaosProxy.start()
        let other = try Registry(pool: patientPool(database), policy: .unlimited)
        let (hedy, cause) = (try handle("hedy"), Registry.testCause)
        func perform<O: Operation>(
            _ operation: O, meanwhile: @escaping @Sendable () async throws -> Void
        ) async throws -> O.Outcome {
            proxy.set(.losesNextCommit { _ = try? await meanwhile() })
            return try await registry.perform(operation)
        }

        _ = try await registry.perform(Hold("hedy", for: owner("ada"), cause))
        let released = try await perform(Release(hedy, by: .admin, cause)) {
            _ = try await other.claim("hedy", for: owner("bo"))
        }.kind
        #expect(released == .done)
        #expect(try await other.record(of: hedy)?.owner == owner("bo"))

        let claimed = try await perform(Claim("jorinde", for: owner("ada"), cause)) {
            try await other.release(handle("jorinde"))
        }.kind
        #expect(claimed == .done)
        #expect(try await other.record(of: handle("jorinde"))?.state == .quarantined)

        let held = try await perform(Hold("mirko_m", for: owner("cleo"), cause)) {
            try await other.release(handle("mirko_m"))
        }.kind
        #expect(held == .done)
        #expect(try await other.history(of: handle("mirko_m")).map(\.action) == [.held, .released])

        let recased = try await perform(Recase(try #require(DisplayHandle("Hedy")), cause)) {
            _ = try await other.recase(try #require(DisplayHandle("HEDY")))
        }.kind
        #expect(recased == .done)
        #expect(try await other.record(of: hedy)?.display.description == "HEDY")

        let renamed = try await perform(Rename(hedy, to: "hedy_b", for: owner("bo"), cause)) {
            _ = try await other.rename(handle("hedy_b"), to: "hedy_c", for: owner("bo"))
        }.kind
        #expect(renamed == .done)
        #expect(try await other.records(of: owner("bo")).map(\.handle.description) == ["hedy_c"])

        _ = try await other.reserve("acme", Reservation(reason: "trademark"))
        let assigned = try await perform(Assign("acme", to: owner("firm"), cause)) {
            try await other.release(handle("acme"))
        }.kind
        #expect(assigned == .done)
        #expect(try await other.record(of: handle("acme"))?.state == .quarantined)

        #expect(proxy.commitsLost == 6)
        #expect(try await discrepancies(other).isEmpty)
    }

    /// An operation that a test disturbs. Attempts are numbered from 1. `instead` replaces an attempt without access to
    /// the database; `beforeCommit` runs between an attempt and its commit.
    private struct Disturbed<Inner: Operation>: Operation {
        let inner: Inner
        var instead: @Sendable (Int) -> Attempt<Inner.Outcome>? = { _ in nil }
        var beforeCommit: @Sendable (Int, Inner.Outcome) async throws -> Void = { _, _ in }
        let attempts = NIOLockedValueBox(0)

        func attempt(in scope: Scope, _ transaction: inout Transaction) async throws -> Attempt<Inner.Outcome> {
            let number = attempts.withLockedValue {
                $0 += 1
                return $0
            }
            if let attempt = instead(number) { return attempt }
            let attempt = try await inner.attempt(in: scope, &transaction)
            if case .commit(let outcome, _) = attempt { try await beforeCommit(number, outcome) }
            return attempt
        }
    }

    private struct EndTransactions: NumberQuery {
        static let sql = """
            SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity
            WHERE datname = current_database() AND state = 'idle in transaction'
            """
    }

    /// The retry of a group may claim more names than the first attempt, here the first name of the group.
    @Test(.timeLimit(.minutes(5))) func claimGroupIsRepeatedWhenItWasNotCommitted() async throws {
        let database = try await TestCluster.shared.freshDatabase()
        let registry = try Registry(pool: patientPool(database), policy: .unlimited)
        _ = try await registry.hold("first_name", for: owner("somebody"))
        let claims = try zip(["first_name", "second_name", "third_name"], ["one", "two", "three"]).map {
            Claim($0, for: try owner($1), Registry.testCause)
        }
        let ended = NIOLockedValueBox<[Int64]>([])
        var group = Disturbed(inner: ClaimGroup(claims))
        group.beforeCommit = { number, outcomes in
            guard number == 1 else { return }
            #expect(outcomes.map(\.?.kind) == [nil, .done, .done])
            let count = try await TestSupport.number(EndTransactions(), on: database)
            ended.withLockedValue { $0.append(count) }
            try await registry.release(handle("first_name"))
        }
        let outcomes = try await registry.performAlone(group)
        #expect(ended.withLockedValue(\.self) == [1])
        #expect(outcomes.map(\.?.kind) == [.done, .done, .done])
        #expect(try await discrepancies(registry).isEmpty)
    }

    private struct InTrigger: NumberQuery {
        static let sql = """
            SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'
            """
    }

    private struct WaitingForLocks: NumberQuery {
        static let sql = """
            SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
            """
    }

    enum Patience: CaseIterable { case usual, shortAtFirst, none }

    /// The server finishes a commit after its client has disconnected. Until then other transactions see the old name.
    @Test(
        .timeLimit(.minutes(5)), .disabled(if: TestCluster.shared.isDistributed, "Citus has no triggers"),
        arguments: Patience.allCases)
    func operationWaitsForItsUnfinishedCommitBeforeARefusal(_ patience: Patience) async throws {
        let (proxy, registry, database) = try await ChaosProxy.start {
            if patience == .none { $0.sessionScript += "; SET lock_timeout = 300" }
        }
        _ = try await registry.hold("johndoe", for: owner("ada"))
        // A trigger makes each commit wait until the test inserts a row.
        try await execute(
            """
            CREATE TABLE go_on ();
            GRANT SELECT ON go_on TO PUBLIC;
            CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                WHILE NOT EXISTS (SELECT FROM go_on) LOOP PERFORM pg_sleep(0.01); END LOOP;
                RETURN NULL;
            END $$;
            CREATE CONSTRAINT TRIGGER wait AFTER UPDATE ON handles DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
                WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION wait()
            """, on: database)
        var claim = Disturbed(inner: Claim("johndoe", for: try owner("ada"), Registry.testCause))
        // Later attempts are refused without locking the name.
        claim.instead = { $0 == 1 ? nil : .refuse(.refused(.notClaimed)) }
        let attempts = claim.attempts
        let isOver = NIOLockedValueBox(false)
        let task = Task { [claim] in
            defer { isOver.withLockedValue { $0 = true } }
            return try await registry.performAlone(claim, waitingShortly: patience == .shortAtFirst)
        }
        while try await number(InTrigger(), on: database) == 0 {}
        proxy.dropConnections()
        if patience == .none {
            await #expect {
                try await task.value
            } throws: { error in
                (error as? PostgresError)?.code == .connectionLost
            }
            try await execute("INSERT INTO go_on DEFAULT VALUES", on: database)
        } else {
            // The second attempt waits for the first. With a short lock timeout at first, there is a third one.
            let wanted = patience == .usual ? 2 : 3
            while !isOver.withLockedValue(\.self) {
                let areWaiting = try await number(WaitingForLocks(), on: database)
                if areWaiting > 0, attempts.withLockedValue(\.self) == wanted { break }
            }
            try await execute("INSERT INTO go_on DEFAULT VALUES", on: database)
            #expect(try await task.value.kind == .done)
        }
        // A repeated claim finds the commit in any case.
        #expect(try await registry.claim("johndoe", for: owner("ada")).kind == .already)
        #expect(try await discrepancies(Registry(pool: patientPool(database))).isEmpty)
    }
}
