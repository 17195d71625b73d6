import TestSupport
import Testing

@testable import HandleRegistry
@testable import Postgres

@Suite struct ReadSideTests {
    private let start = ContinuousClock.now

    private func side() async throws -> ReadSide {
        let pool = Pool(Pool.Configuration(conninfo: ""))
        return ReadSide(primary: pool, replica: pool)
    }

    /// What is noted each second: where the primary's log ends, and up to where the replica has replayed it.
    private func lag(_ seconds: [(primary: Int64, replayed: Int64?)]) async throws -> Duration? {
        let side = try await side()
        for (second, positions) in seconds.enumerated() {
            let now = start + .seconds(second)
            side.note(primary: positions.primary, at: now, replayed: positions.replayed, now: now)
        }
        return side.lag?.behind
    }

    @Test func isNoneForAReplicaThatHasEverything() async throws {
        #expect(try await lag([(100, 100)]) == .zero)
        // Nobody writes, so the last change is long ago; that is no lag.
        #expect(try await lag([(100, 100), (100, 100), (100, 100)]) == .zero)
        // The replica was asked later, and had got further already.
        #expect(try await lag([(100, 120)]) == .zero)
    }

    @Test func isCountedFromTheFirstThingThatTheReplicaDoesNotHave() async throws {
        #expect(try await lag([(100, 100), (200, 100), (300, 100), (400, 100)]) == .seconds(2))
        #expect(try await lag([(100, 100), (200, 100), (300, 100), (400, 299)]) == .seconds(1))
        #expect(try await lag([(100, 100), (200, 100), (300, 100), (400, 400)]) == .zero)
    }

    @Test func isUnknownOfAServerThatIsNoReplica() async throws {
        #expect(try await lag([(100, 100), (200, nil)]) == nil)
    }

    @Test func isForgottenWhenItIsNotMeasuredAnyMore() async throws {
        let side = try await side()
        #expect(side.replicaThatKeepsUp(at: start) == nil)
        side.note(primary: 100, at: start, replayed: 100, now: start)
        #expect(side.replicaThatKeepsUp(at: start + .seconds(4)) != nil)
        #expect(side.replicaThatKeepsUp(at: start + .seconds(6)) == nil)
        // One that is too far behind is not asked.
        side.note(primary: 200, at: start + .seconds(6), replayed: 100, now: start + .seconds(6))
        #expect(side.replicaThatKeepsUp(at: start + .seconds(6)) != nil)
        side.note(primary: 200, at: start + .seconds(9), replayed: 100, now: start + .seconds(9))
        #expect(side.replicaThatKeepsUp(at: start + .seconds(9)) == nil)
    }

    @Test(.disabled(if: TestCluster.shared.isDistributed, "replicas of a Citus cluster are each node's own"))
    func aReplicaAnswersChecksAndThePrimaryEverythingElse() async throws {
        try await withReplica { registry, replica in
            // Before the first measurement nothing is known of the replica.
            let first = try await registry.availability(of: "johndoe").decision
            #expect(!first.isAvailable && registry.reads.reads == (0, 2))
            // On a slow machine the measurement may be too old by the time of the check.
            repeat {
                try await untilItKeepsUp(registry)
                let second = try await registry.availability(of: "johndoe", suggestions: 0).decision
                #expect(!second.isAvailable)
            } while registry.reads.reads.replica == 0

            // A replica that stands still does not know of a claim; the claim itself is the primary's.
            try await execute("SELECT pg_wal_replay_pause()", on: replica)
            #expect(word(try await registry.claim("janedoe", for: owner("one"))) == "taken")
            #expect(word(try await registry.claim("janedoe", for: owner("two"))) == "refused: taken")
            // This primary commits asynchronously: its log grows a moment later.
            while registry.reads.lag?.behind == .zero { try await registry.reads.measure() }
            #expect(try #require(registry.reads.lag?.behind) > .zero)
            // As soon as it is known to be too far behind it is not asked any more.
            registry.reads.note(primary: .max, at: .now, replayed: 0, now: .now + .seconds(3))
            let before = registry.reads.reads
            let third = try await registry.availability(of: "janedoe", suggestions: 0).decision
            #expect(!third.isAvailable && registry.reads.reads == (before.replica, before.primary + 1))
            try await execute("SELECT pg_wal_replay_resume()", on: replica)
        }
    }

    @Test(.disabled(if: TestCluster.shared.isDistributed, "replicas of a Citus cluster are each node's own"))
    func thePrimaryAnswersWhenTheReplicaIsGone() async throws {
        try await withReplica { registry, replica in
            try await untilItKeepsUp(registry)
            #expect(try await !registry.availability(of: "johndoe", suggestions: 0).decision.isAvailable)
            // Every connection to it ends, and no new one is let in.
            try await execute(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
                """, on: replica)
            await registry.reads.replica?.close()
            for _ in 0..<5 {
                #expect(try await !registry.availability(of: "johndoe", suggestions: 0).decision.isAvailable)
            }
            #expect(registry.reads.reads.primary > 0)
            await #expect(throws: PostgresError.self) { try await registry.reads.measure() }
            #expect(registry.reads.lag?.behind == nil)
        }
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
            // This primary commits asynchronously; until it writes the claim to its log, a replica can seem to have it.
            try await execute("CHECKPOINT", on: primary)
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
