import HandleCore
import NIOConcurrencyHelpers
import TestSupport
import Testing

@testable import HandleRegistry
@testable import Postgres

/// Operations whose connection breaks over their commit: whether it was made is known by the history.
@Suite struct UnheardCommitTests {
    /// The name of an outcome, without what it carries.
    private func name(of outcome: some Any) -> String { String("\(outcome)".prefix { $0 != "(" }) }

    /// Every operation, when it never hears that it was committed, says what it has done and not that it was done.
    @Test(.timeLimit(.minutes(5))) func aChangeWhoseCommitIsNotHeardOfKnowsItself() async throws {
        let (proxy, registry, database) = try await ChaosProxy.start()
        func losing<Result>(_ change: () async throws -> Result) async throws -> Result {
            let before = proxy.commitsLost
            proxy.set(.losesNextCommit {})
            let result = try await change()
            #expect(proxy.commitsLost == before + 1)
            return result
        }
        let cause = Registry.testCause
        let held = try await losing { try await registry.perform(Hold("ada_lind", for: owner("ada"), cause)) }
        #expect(name(of: held) == "held")
        let claimed = try await losing { try await registry.perform(Claim("ada_lind", for: owner("ada"), cause)) }
        #expect(name(of: claimed) == "taken")
        let recased = try await losing {
            try await registry.perform(Recase(try #require(DisplayHandle("Ada_Lind")), cause))
        }
        #expect(name(of: recased) == "recased")
        let renamed = try await losing {
            try await registry.perform(Rename(handle("ada_lind"), to: "ada_l", for: owner("ada"), cause))
        }
        #expect(name(of: renamed) == "renamed")
        let released = try await losing { try await registry.perform(Release(handle("ada_l"), cause)) }
        #expect(name(of: released) == "released")
        #expect(try await registry.history(of: handle("ada_l")).map(\.action) == [.renamed, .released])
        #expect(try await discrepancies(Registry(pool: patientPool(database))).isEmpty)
    }

    /// What somebody else has made of the name meanwhile is theirs: nothing is done twice.
    @Test(.timeLimit(.minutes(5))) func aChangeWhoseCommitIsNotHeardOfLeavesWhatOthersDoNext() async throws {
        let (proxy, registry, database) = try await ChaosProxy.start()
        let other = try Registry(pool: patientPool(database), policy: .unlimited)
        let (hedy, cause) = (try handle("hedy"), Registry.testCause)

        _ = try await registry.perform(Hold("hedy", for: owner("ada"), cause))
        proxy.set(.losesNextCommit { _ = try? await other.claim("hedy", for: owner("bo")) })
        let released = try await registry.perform(Release(hedy, by: .admin, cause))
        #expect(name(of: released) == "released")
        #expect(try await other.record(of: hedy)?.owner == owner("bo"))

        proxy.set(
            .losesNextCommit {
                _ = try? await other.release(handle("jorinde"))
            })
        #expect(word(try await registry.claim("jorinde", for: owner("ada"))) == "taken")
        #expect(try await other.record(of: handle("jorinde"))?.state == .quarantined)

        proxy.set(.losesNextCommit { _ = try? await other.release(handle("mirko_m")) })
        let held = try await registry.perform(Hold("mirko_m", for: owner("cleo"), cause))
        #expect(name(of: held) == "held")
        #expect(try await other.record(of: handle("mirko_m"))?.isFree != false)
        #expect(proxy.commitsLost == 3)
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
    @Test(.timeLimit(.minutes(5))) func aGroupThatWasNotCommittedIsDoneAgain() async throws {
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

    private struct WaitingForLocks: NumberQuery {
        static let sql = """
            SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
            """
    }

    /// The server goes on with a commit when its client has gone, and meanwhile the name is as it was.
    @Test(.timeLimit(.minutes(5)), .disabled(if: TestCluster.shared.isDistributed, "it has no triggers"))
    func aCommitUnderWayIsWaitedForBeforeARefusal() async throws {
        let (proxy, registry, database) = try await ChaosProxy.start()
        _ = try await registry.hold("johndoe", for: owner("ada"))
        // A commit waits for the test.
        try await execute(
            """
            CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql
                AS 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END';
            CREATE CONSTRAINT TRIGGER wait AFTER UPDATE ON handles DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
                WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION wait()
            """, on: database)
        let deadline = ContinuousClock.now + .seconds(600)
        let test = try await Connection.open(database, until: deadline)
        try await test.run(script: "SELECT pg_advisory_lock(1)", until: deadline)
        var claim = Disturbed(inner: Claim("johndoe", for: try owner("ada"), Registry.testCause))
        // As if the second attempt had found something against it without having to lock the name.
        claim.instead = { $0 == 1 ? nil : .refuse(.refused(.decide("", words: ReservedWords([])))) }
        async let outcome = registry.performAlone(claim)
        while try await number(WaitingForLocks(), on: database) < 1 {}
        proxy.dropConnections()
        // The second attempt waits for the first.
        while try await number(WaitingForLocks(), on: database) < 2 {}
        await test.close()
        #expect(word(try await outcome) == "taken")
        #expect(try await registry.record(of: handle("johndoe"))?.owner == owner("ada"))
        #expect(try await discrepancies(Registry(pool: patientPool(database))).isEmpty)
    }
}
