import Foundation
import HandleRegistry
import HandleRules
import Postgres
import TestSupport
import Testing

/// A registry behind a faulty connection to the database.
@Suite(.consistent) struct ChaosTests {
    @Test func resetDuringACommitIsResolvedByTheRegistryItself() async throws {
        let (proxy, registry, _) = try await ChaosProxy.start()
        for round in 0..<10 {
            proxy.set(.losesCommits())
            let before = proxy.commitsLost
            var wasRepeated = false
            let mend = Task {
                try await eventually("a commit is lost") { proxy.commitsLost > before }
                proxy.set(.calm)
            }
            // The first attempt commits and gets no reply. The second finds the commit and reports it as a new claim.
            let name = "commit_\(round)x"
            var outcomes: [ChangeOutcome.Kind] = []
            while outcomes.isEmpty {
                do {
                    outcomes.append(try await registry.claim(name, for: owner("one")).kind)
                } catch let error as PostgresError where error.isTransient {
                    // On a busy machine the second attempt can fail too; then the caller's repetition finds the commit.
                    wasRepeated = true
                }
            }
            #expect(outcomes == [.done] || wasRepeated && outcomes == [.already])
            try await mend.value
            #expect(try await registry.claim(name, for: owner("one")).kind != .refused(.taken))
            #expect(try await registry.record(of: handle(name))?.version == 1)
        }
    }

    @Test func cutConnectionIsATransientErrorAndALaterClaimSucceeds() async throws {
        let (proxy, registry, _) = try await ChaosProxy.start()
        proxy.set(.cut)
        let error = await #expect(throws: PostgresError.self) { try await registry.claim("johndoe", for: owner("one")) }
        #expect(error?.isTransient == true)
        proxy.set(.calm)
        var outcome: ChangeOutcome.Kind?
        try await eventually("the database is reachable again") { () async throws -> Bool in
            do {
                outcome = try await registry.claim("johndoe", for: owner("one")).kind
            } catch let error as PostgresError where error.isTransient {}
            return outcome != nil
        }
        #expect(outcome == .done)
    }

    @Test func silentConnectionEndsInATimeout() async throws {
        let (proxy, registry, database) = try await ChaosProxy.start { $0.timeout = .seconds(4) }
        proxy.set(.blackHole)
        let error = await #expect(throws: PostgresError.self) { try await registry.claim("johndoe", for: owner("one")) }
        #expect(error?.isTransient == true)
        proxy.set(.calm)
        let patient = try Registry(pool: patientPool(database), policy: .unlimited)
        #expect(try await patient.claim("johndoe", for: owner("one")).kind == .done)
    }

    @Test func slowConnectionDelaysClaimsWithoutChangingTheirOutcome() async throws {
        let (proxy, registry, _) = try await ChaosProxy.start()
        proxy.set(.delay(milliseconds: 15))
        let outcomes = try await race(16) { racer in
            try await registry.claim("slow_race", for: owner("racer-\(racer)")).kind
        }.counts
        #expect(outcomes == [.done: 1, .refused(.taken): 15])
    }

    /// Requests with an idempotency key are repeated until they are answered.
    @Test(.timeLimit(.minutes(10))) func requestWithAKeyTakesEffectOnceHoweverOftenItIsCut() async throws {
        let (proxy, registry, database) = try await ChaosProxy.start()
        let patient = try Registry(pool: patientPool(database), policy: .unlimited)
        let chaos = proxy.makeTrouble(pause: .milliseconds(TestCluster.shared.isDistributed ? 1500 : 30))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask {
                    let name = "keyed_\(number)x"
                    let request = IdempotentRequest(key: "key-\(number)", caller: "admin", content: Array(name.utf8))
                    var replies: Set<Reply> = []
                    while replies.count < 1 || proxy.commitsLost == 0 || Bool.random() {
                        let random = UInt8.random(in: 0...255)
                        do {
                            let claim = Claim(name, for: try owner("one"), Registry.testCause)
                            let reply = try await registry.perform(claim, once: request) { outcome in
                                Answer(status: outcome.kind == .done ? 201 : 200, headers: [], body: [random])
                            }
                            if reply != .inFlight { replies.insert(reply) }
                        } catch let error as PostgresError where error.isTransient {
                            try await Task.sleep(for: .milliseconds(10))
                        }
                    }
                    #expect(replies.count == 1, "\(name) got different answers")
                    #expect(try await patient.record(of: handle(name))?.version == 1)
                }
            }
            try await group.waitForAll()
        }
        chaos.cancel()
        await chaos.value
    }
}
