import HandleCore
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import HandleRegistry
@testable import Postgres

/// Changes whose connection breaks over their commit: whether it was made is known by the history.
@Suite struct UnheardCommitTests {
    /// Every operation, when it never hears that it was committed, says what it has done and not that it was done.
    @Test(.timeLimit(.minutes(5))) func sayWhatTheyHaveDone() async throws {
        let (proxy, registry, database) = try await ChaosProxy.start()
        func perform<O: Operation>(_ operation: O) async throws -> O.Outcome {
            let before = proxy.commitsLost
            proxy.set(.losesNextCommit {})
            let outcome = try await registry.perform(operation)
            #expect(proxy.commitsLost == before + 1)
            return outcome
        }
        let (ada, cause) = (try owner("ada"), Registry.testCause)
        let held = word(try await perform(Hold("ada_lind", for: ada, cause)))
        #expect(held == "held")
        let claimed = word(try await perform(Claim("ada_lind", for: ada, cause)))
        #expect(claimed == "taken")
        let recased = word(try await perform(Recase(try #require(DisplayHandle("Ada_Lind")), cause)))
        #expect(recased == "recased")
        let renamed = word(try await perform(Rename(handle("ada_lind"), to: "ada_l", for: ada, cause)))
        #expect(renamed == "renamed")
        let released = word(try await perform(Release(handle("ada_l"), cause)))
        #expect(released == "released")
        _ = try await registry.reserve("acme", Reservation(reason: "trademark"))
        let assigned = word(try await perform(Assign("acme", to: ada, cause)))
        #expect(assigned == "assigned")
        #expect(try await registry.history(of: handle("ada_l")).map(\.action) == [.renamed, .released])
        #expect(try await discrepancies(Registry(pool: patientPool(database))).isEmpty)
    }

    /// What somebody else has made of the name meanwhile is theirs: nothing is done twice.
    @Test(.timeLimit(.minutes(5))) func leaveWhatOthersDoNext() async throws {
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
        let released = word(
            try await perform(Release(hedy, by: .admin, cause)) { _ = try await other.claim("hedy", for: owner("bo")) })
        #expect(released == "released")
        #expect(try await other.record(of: hedy)?.owner == owner("bo"))

        let claimed = word(
            try await perform(Claim("jorinde", for: owner("ada"), cause)) {
                try await other.release(handle("jorinde"))
            })
        #expect(claimed == "taken")
        #expect(try await other.record(of: handle("jorinde"))?.state == .quarantined)

        let held = word(
            try await perform(Hold("mirko_m", for: owner("cleo"), cause)) {
                try await other.release(handle("mirko_m"))
            })
        #expect(held == "held")
        #expect(try await other.history(of: handle("mirko_m")).map(\.action) == [.held, .released])

        let recased = word(
            try await perform(Recase(try #require(DisplayHandle("Hedy")), cause)) {
                _ = try await other.recase(try #require(DisplayHandle("HEDY")))
            })
        #expect(recased == "recased")
        #expect(try await other.record(of: hedy)?.display.description == "HEDY")

        let renamed = word(
            try await perform(Rename(hedy, to: "hedy_b", for: owner("bo"), cause)) {
                _ = try await other.rename(handle("hedy_b"), to: "hedy_c", for: owner("bo"))
            })
        #expect(renamed == "renamed")
        #expect(try await other.records(of: owner("bo")).map(\.handle.description) == ["hedy_c"])

        _ = try await other.reserve("acme", Reservation(reason: "trademark"))
        let assigned = word(
            try await perform(Assign("acme", to: owner("firm"), cause)) { try await other.release(handle("acme")) })
        #expect(assigned == "assigned")
        #expect(try await other.record(of: handle("acme"))?.state == .quarantined)

        #expect(proxy.commitsLost == 6)
        #expect(try await discrepancies(other).isEmpty)
    }

    /// An operation whose attempts, numbered from 1, may end before they look at the database, and that something may
    /// happen to between an attempt and its commit.
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

    /// The second attempt of a group may take more names than the first, and one that the first was to begin with.
    @Test(.timeLimit(.minutes(5))) func ofAGroupAreDoneAgainWhenTheyWereNotCommitted() async throws {
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
            #expect(outcomes.map { $0.map(word) } == [nil, "taken", "taken"])
            let count = try await TestSupport.number(EndTransactions(), on: database)
            ended.withLockedValue { $0.append(count) }
            try await registry.release(handle("first_name"))
        }
        let outcomes = try await registry.performAlone(group)
        #expect(ended.withLockedValue(\.self) == [1])
        #expect(outcomes.map { $0.map(word) } == ["taken", "taken", "taken"])
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

    /// The server goes on with a commit when its client has gone, and meanwhile the name is as it was.
    @Test(
        .timeLimit(.minutes(5)), .disabled(if: TestCluster.shared.isDistributed, "it has no triggers"),
        arguments: Patience.allCases)
    func waitForACommitUnderWayBeforeTheyAreRefused(_ patience: Patience) async throws {
        let (proxy, registry, database) = try await ChaosProxy.start {
            if patience == .none { $0.sessionScript += "; SET lock_timeout = 300" }
        }
        _ = try await registry.hold("johndoe", for: owner("ada"))
        // A commit waits for the test.
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
        // As if a later attempt had found something against it without having to lock the name.
        claim.instead = { $0 == 1 ? nil : .refuse(.refused(.decide("", words: ReservedWords([])))) }
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
            // A later attempt waits for the first; who waits shortly at first does so twice.
            let wanted = patience == .usual ? 2 : 3
            while !isOver.withLockedValue(\.self) {
                let areWaiting = try await number(WaitingForLocks(), on: database)
                if areWaiting > 0, attempts.withLockedValue(\.self) == wanted { break }
            }
            try await execute("INSERT INTO go_on DEFAULT VALUES", on: database)
            #expect(word(try await task.value) == "taken")
        }
        // To ask once more finds out in any case.
        #expect(word(try await registry.claim("johndoe", for: owner("ada"))) == "already")
        #expect(try await discrepancies(Registry(pool: patientPool(database))).isEmpty)
    }
}
