import HandleRules
import TestSupport
import Testing

@testable import HandleRegistry
@testable import Postgres

/// Changes that lose their connection during the COMMIT. The history shows whether the transaction was committed.
@Suite(.consistent) struct UnacknowledgedCommitTests {
    /// A change without a reply to its COMMIT is reported as made now, not as one that existed already.
    @Test(.timeLimit(.minutes(5))) func everyChangeReportsItsOwnLostCommitAsDone() async throws {
        let (proxy, registry, _) = try await ChaosProxy.start()
        func perform<C: Change>(_ change: C) async throws -> C.Outcome {
            let before = proxy.commitsLost
            proxy.set(.losesNextCommit {})
            let outcome = try await registry.perform(change)
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
    }

    /// Some claims are refused together with the lost commit, and one before it.
    @Test(.timeLimit(.minutes(5))) func batchRecognisesItsLostCommit() async throws {
        let (proxy, registry, _) = try await ChaosProxy.start()
        let cause = Registry.testCause
        let (ada, bo) = (try owner("ada"), try owner("bo"))
        _ = try await registry.reserve("acme", Reservation(reason: "ours", owner: ada))
        _ = try await registry.claim("hedy_b", for: owner("cleo"))
        let claims = try [
            Claim("acme", for: ada, cause), Claim("4cme", for: bo, cause), Claim("hedy_b", for: ada, cause),
            Claim("mirko_m", for: bo, cause), Claim("admin", for: owner("dora"), cause),
        ]
        let before = proxy.commitsLost
        proxy.set(.losesNextCommit {})
        let outcomes = await BulkClaim(registry).claim(claims).outcomes
        #expect(proxy.commitsLost == before + 1)
        #expect(
            outcomes.map(\.?.kind) == [.done, .refused(.lookalike), .refused(.taken), .done, .refused(.reservedWord)])
        #expect(try await registry.history(of: handle("mirko_m")).map(\.action) == [.claimed])
    }

    /// Another change of the name comes before the retry. The retry leaves it alone and does nothing twice.
    @Test(.timeLimit(.minutes(5))) func retryAfterALostCommitLeavesLaterChangesAlone() async throws {
        let (proxy, registry, database) = try await ChaosProxy.start()
        let other = try Registry(pool: patientPool(database), policy: .unlimited)
        let (hedy, cause) = (try handle("hedy"), Registry.testCause)
        func perform<C: Change>(
            _ change: C, meanwhile: @escaping @Sendable () async throws -> Void
        ) async throws -> C.Outcome {
            proxy.set(.losesNextCommit { _ = try? await meanwhile() })
            return try await registry.perform(change)
        }

        _ = try await registry.perform(Hold("hedy", for: owner("ada"), cause))
        let released = try await perform(Release(hedy, cause)) {
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
    }

    /// The batch is not repeated as a whole: one of its names has been released since.
    @Test(.timeLimit(.minutes(5))) func reservationsWithALostCommitLeaveLaterChangesAlone() async throws {
        let (proxy, registry, database) = try await ChaosProxy.start()
        let other = try Registry(pool: patientPool(database), policy: .unlimited)
        _ = try await other.claim("third_name", for: owner("ada"))
        let names = try ["first_name", "second_name", "third_name"].map {
            NameToReserve(try #require(DisplayHandle($0)), Reservation(reason: "test"))
        }
        proxy.set(.losesNextCommit { _ = try? await other.release(handle("first_name")) })
        let reserved = try await registry.writes.write(
            names.map { Reserve(name: $0, allowsLookalike: false, actor: "test", number: newChange()) })
        #expect(proxy.commitsLost == 1)
        #expect(reserved.map(\.outcome.kind) == [.done, .done, .refused(.taken)])
        #expect(try await other.record(of: handle("first_name")) == nil)
        #expect(try await other.history(of: handle("first_name")).map(\.action) == [.reserved, .released])
        #expect(try await other.history(of: handle("second_name")).map(\.action) == [.reserved])
    }

    /// The rows of a COPY exist when it is tried again.
    @Test(.timeLimit(.minutes(5))) func copiedReservationsWithALostCommitLeaveLaterChangesAlone() async throws {
        let (proxy, registry, database) = try await ChaosProxy.start()
        let other = try Registry(pool: patientPool(database), policy: .unlimited)
        let names = try (0..<120).map {
            NameToReserve(try #require(DisplayHandle(distinctName($0))), Reservation(reason: "test"))
        }
        let (released, claimed) = (names[7].handle, names[0])
        let reserve = BulkReserve(registry, actor: "test") { _, _ in
            // The names were looked up; the next commit is that of the COPY.
            proxy.set(
                .losesNextCommit {
                    for handle in [released, claimed.handle] { _ = try? await other.release(handle) }
                    _ = try? await other.claim(claimed.display.description, for: owner("ada"))
                })
        }
        let kinds = Set(try await reserve.reserve(names).map(\.outcome.kind))
        #expect(proxy.commitsLost == 1)
        #expect(kinds == [.done])
        #expect(try await other.record(of: released) == nil)
        #expect(try await other.record(of: claimed.handle)?.owner == owner("ada"))
    }

    /// The server ends a connection after receiving its COMMIT and before carrying it out.
    @Test(.timeLimit(.minutes(5)), .notOnCitus("the workers wait for the lock"))
    func batchIsRepeatedWhenItWasNotCommitted() async throws {
        let registry = try await freshRegistry()
        for name in ["first_name", "second_name"] { _ = try await registry.hold(name, for: owner("holder-\(name)")) }
        try await registry.release(handle("second_name"))
        let claims = try zip(["first_name", "second_name", "third_name"], ["one", "two", "three"]).map {
            Claim($0, for: try owner($1), Registry.testCause)
        }
        // The locks of the batch are free; its writes wait.
        let session = try await LockingSession(
            """
            INSERT INTO handle_events (handle, version, at, action, from_state, to_state, hash, actor)
            VALUES ('second_name', 3, now(), 'c', 'f', 'c', sha256(''), 'test')
            """, on: registry.database)
        async let outcomes = registry.writes.write(claims)
        try await eventually("the commit waits for the lock") { try await registry.waitingForLocks() == 1 }
        let ended = try await registry.number(
            """
            SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'
            """)
        #expect(ended == 1)
        try await session.letGo(after: "ROLLBACK")
        #expect(try await outcomes.map(\.kind) == [.refused(.taken), .done, .done])
        #expect(try await registry.history(of: handle("second_name")).map(\.action) == [.held, .released, .claimed])
        #expect(try await registry.history(of: handle("third_name")).map(\.action) == [.claimed])
    }

    private static let inTrigger =
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"

    /// Waits for locks that have outlasted the short lock timeout.
    private static let waitingPatiently = """
        SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE datname = current_database() AND NOT granted
            AND clock_timestamp() - waitstart > 2 * interval '\(LockTimeout.shortLimit)'
        """

    enum Patience: CaseIterable { case usual, shortAtFirst, none }

    /// The server finishes a commit after its client has disconnected. Until then other transactions see the old name.
    @Test(
        .timeLimit(.minutes(5)), .notOnCitus("it has no triggers"), arguments: Patience.allCases)
    func retryWaitsForTheUnfinishedCommit(_ patience: Patience) async throws {
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
            CREATE CONSTRAINT TRIGGER wait AFTER UPDATE ON names DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
                WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION wait()
            """, on: database)
        let task = Task {
            let claim = Claim("johndoe", for: try owner("ada"), Registry.testCause)
            return try await registry.writes.write(claim, waitingShortly: patience == .shortAtFirst)
        }
        try await eventually("the commit waits") { try await number(Self.inTrigger, on: database) == 1 }
        proxy.dropConnections()
        if patience == .none {
            let error = await #expect(throws: PostgresError.self) { try await task.value }
            #expect(error?.code == .connectionLost)
            try await execute("INSERT INTO go_on DEFAULT VALUES", on: database)
        } else {
            // The second attempt waits for the first. With a short lock timeout it ends, and the third one waits.
            if patience == .shortAtFirst {
                try await eventually("the second attempt ends") { proxy.lockTimeouts == 1 }
            }
            try await eventually("an attempt waits for the lock, without a short timeout") {
                try await number(Self.waitingPatiently, on: database) == 1
            }
            try await execute("INSERT INTO go_on DEFAULT VALUES", on: database)
            #expect(try await task.value.kind == .done)
            #expect(proxy.lockTimeouts == (patience == .shortAtFirst ? 1 : 0))
        }
        // A repeated claim finds the commit in any case.
        #expect(try await registry.claim("johndoe", for: owner("ada")).kind == .already)
    }
}
