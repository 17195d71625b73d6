import HandleRules
import TestSupport
import Testing

@testable import HandleRegistry
@testable import Postgres

@Suite struct ReadSideTests {
    private let start = ContinuousClock.now

    private func progress(_ position: Int64, system: Int64 = 7, timeline: Int64 = 1) -> LogProgress {
        LogProgress(identity: ServerIdentity(system: system, timeline: timeline), position: position)
    }

    /// A read side with a measurement each second: the end of the primary's log, and the position up to which the
    /// replica has replayed it.
    private func side(_ seconds: [(primary: Int64, replayed: Int64?)]) -> ReadSide {
        let pool = Pool(Pool.Configuration(conninfo: ""))
        let side = ReadSide(primary: pool, replica: pool)
        for (second, positions) in seconds.enumerated() {
            let now = start + .seconds(second)
            side.note(
                primary: progress(positions.primary), at: now, replica: positions.replayed.map { progress($0) },
                now: now)
        }
        return side
    }

    private func lag(_ seconds: [(primary: Int64, replayed: Int64?)]) -> Duration? { side(seconds).lag?.behind }

    @Test func lagIsZeroForAReplicaThatHasEverything() {
        #expect(lag([(100, 100)]) == .zero)
        // Without writes the last change is long ago; that is no lag.
        #expect(lag([(100, 100), (100, 100), (100, 100)]) == .zero)
        // The replica was measured after the primary, and had already got further.
        #expect(lag([(100, 120)]) == .zero)
    }

    @Test func lagCountsFromTheFirstChangeThatTheReplicaDoesNotHave() {
        #expect(lag([(100, 100), (200, 100), (300, 100), (400, 100)]) == .seconds(2))
        #expect(lag([(100, 100), (200, 100), (300, 100), (400, 299)]) == .seconds(1))
        #expect(lag([(100, 100), (200, 100), (300, 100), (400, 400)]) == .zero)
    }

    @Test func lagIsUnknownForAServerThatIsNoReplica() {
        #expect(lag([(100, 100), (200, nil)]) == nil)
    }

    /// The age of an answer counts from the last moment at which the replica is known to have had everything.
    @Test func replicaAnswerIsNeverOlderThanTheBound() {
        let side = side([(100, 100), (200, 200)])
        let measured = start + .seconds(1)
        #expect(side.noteAnswer(progress(200), at: measured + .seconds(1)) == measured)
        #expect(side.noteAnswer(progress(250), at: measured + .seconds(2)) == measured)
        #expect(side.noteAnswer(progress(199), at: measured + .seconds(1)) == start)
        // The replica has stood still since the measurement, and there was no new one.
        #expect(side.replicaThatKeepsUp(at: measured + .seconds(2)) != nil)
        #expect(side.noteAnswer(progress(199), at: measured + .milliseconds(1001)) == nil)
        #expect(side.replicaThatKeepsUp(at: measured + .milliseconds(1001)) == nil)
        // It is used again when a measurement shows that it has caught up.
        side.note(primary: progress(300), at: start + .seconds(3), replica: progress(199), now: start + .seconds(3))
        #expect(side.replicaThatKeepsUp(at: start + .seconds(3)) == nil)
        side.note(primary: progress(300), at: start + .seconds(4), replica: progress(300), now: start + .seconds(4))
        #expect(side.replicaThatKeepsUp(at: start + .seconds(4)) != nil)
        #expect(side.replicaThatKeepsUp(at: start + .milliseconds(6001)) == nil)
    }

    /// A replica of another registry, one on another timeline, or a server that is no replica any more.
    @Test func replicaWithAnotherIdentityIsNeverAsked() {
        for other in [progress(999, system: 8), progress(999, timeline: 2), nil] {
            let side = side([(100, 100)])
            #expect(side.noteAnswer(other, at: start) == nil)
            #expect(side.replicaThatKeepsUp(at: start) == nil)
            side.note(primary: progress(100), at: start + .seconds(1), replica: other, now: start + .seconds(1))
            #expect(side.replicaThatKeepsUp(at: start + .seconds(1)) == nil && side.lag?.behind == nil)
        }
        // After a failover, positions on the old timeline do not count.
        let side = side([(100, 100)])
        let next = progress(50, timeline: 2)
        side.note(primary: next, at: start + .seconds(1), replica: next, now: start + .seconds(1))
        #expect(side.noteAnswer(progress(60, timeline: 2), at: start + .seconds(1)) == start + .seconds(1))
    }

    @Test(.notOnCitus("each node has its own replicas"))
    func replicaAnswersChecksAndThePrimaryEverythingElse() async throws {
        try await withReplica { registry, replica in
            // Before the first measurement the replica is not asked.
            let first = try await registry.availability(of: "johndoe").decision
            #expect(!first.isAvailable && registry.reads.reads == (0, 2))
            // On a slow machine the measurement may be too old when the check runs.
            repeat {
                try await untilItKeepsUp(registry)
                let second = try await registry.availability(of: "johndoe", suggestions: 0).decision
                #expect(!second.isAvailable)
            } while registry.reads.reads.replica == 0

            // With its replay paused, the replica does not see a claim. Claims are decided on the primary.
            try await execute("SELECT pg_wal_replay_pause()", on: replica.asSuperuser)
            #expect(try await registry.claim("janedoe", for: owner("one")).kind == .done)
            #expect(try await registry.claim("janedoe", for: owner("two")).kind == .refused(.taken))
            // This primary commits asynchronously: its log grows a moment after the commit.
            while registry.reads.lag?.behind == .zero { try await registry.reads.measure() }
            #expect(try #require(registry.reads.lag?.behind) > .zero)
            // When its answers become too old, the primary answers. Later answers are not older than the primary's.
            try await eventually("the primary answers") {
                try await registry.reads.measure()
                let answer = try await registry.availability(of: "janedoe", suggestions: 0)
                #expect(answer.asOf.map { .now - $0 < .seconds(60) } ?? !answer.decision.isAvailable)
                return !answer.decision.isAvailable
            }
            let before = registry.reads.reads
            for _ in 0..<3 {
                try await registry.reads.measure()
                let third = try await registry.availability(of: "janedoe", suggestions: 0)
                #expect(!third.decision.isAvailable && third.asOf == nil)
            }
            #expect(registry.reads.reads == (before.replica, before.primary + 3))
            try await execute("SELECT pg_wal_replay_resume()", on: replica.asSuperuser)
        }
    }

    @Test(.notOnCitus("each node has its own replicas"))
    func primaryAnswersWhenTheReplicaIsGone() async throws {
        try await withReplica { registry, replica in
            try await untilItKeepsUp(registry)
            #expect(try await !registry.availability(of: "johndoe", suggestions: 0).decision.isAvailable)
            // Every connection to the replica ends, and no new one can be opened.
            try await execute(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
                """, on: replica.asSuperuser)
            await registry.reads.replica?.close()
            for _ in 0..<5 {
                #expect(try await !registry.availability(of: "johndoe", suggestions: 0).decision.isAvailable)
            }
            #expect(registry.reads.reads.primary > 0)
            await #expect(throws: PostgresError.self) { try await registry.reads.measure() }
            #expect(registry.reads.lag?.behind == nil)
        }
    }

    /// An error of the replica must not reach the caller.
    @Test(.notOnCitus("each node has its own replicas"))
    func primaryAnswersWhenTheReplicaRefuses() async throws {
        try await ReplicatedPostgres.use { primary, replica in
            try await execute("CREATE ROLE stranger LOGIN", on: primary.asSuperuser)
            let strangers = replica.replacing("user=handles", with: "user=stranger")
            try await eventually("the replica knows the role") {
                do { try await execute("SELECT", on: strangers) } catch is PostgresError { return false }
                return true
            }
            let registry = try Registry(
                pool: patientPool(primary), replica: patientPool(strangers) { $0.sessionScript = "" },
                policy: .unlimited)
            try await registry.migrate()
            _ = try await registry.claim("johndoe", for: owner("one"))
            try await eventually("the replica keeps up") {
                try await registry.reads.measure()
                guard registry.reads.lag?.behind == .zero else { return false }
                let answer = try await registry.availability(of: "johndoe", suggestions: 0)
                #expect(!answer.decision.isAvailable && answer.asOf == nil)
                return registry.reads.lag?.behind == nil
            }
            #expect(registry.reads.reads.replica == 0)
        }
    }

    @Test func serverOfAnotherClusterIsNeverAsked() async throws {
        let registry = try Registry(
            pool: patientPool(try await TestCluster.shared.freshDatabase()),
            replica: patientPool(try await TestCluster.shared.freshDatabase()), policy: .unlimited)
        try await registry.reads.measure()
        #expect(try await registry.availability(of: "johndoe", suggestions: 0).asOf == nil)
        #expect(registry.reads.reads == (0, 1) && registry.reads.lag?.behind == nil)
    }

    /// A registry with a replica, on which `johndoe` is claimed.
    private func withReplica(
        _ body: @escaping @Sendable (_ registry: Registry, _ replica: String) async throws -> Void
    ) async throws {
        try await ReplicatedPostgres.use { primary, replica in
            let registry = try Registry(
                pool: patientPool(primary), replica: patientPool(replica), policy: .unlimited)
            try await registry.migrate()
            _ = try await registry.claim("johndoe", for: owner("one"))
            // This primary commits asynchronously: until its log has the claim, the replica seems to have everything.
            try await execute("CHECKPOINT", on: primary.asSuperuser)
            try await body(registry, replica)
        }
    }

    private func untilItKeepsUp(_ registry: Registry) async throws {
        while true {
            try await registry.reads.measure()
            if registry.reads.lag?.behind == .zero { return }
            await Task.yield()
        }
    }
}
