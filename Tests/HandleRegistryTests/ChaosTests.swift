import Foundation
import HandleCore
import HandleRegistry
import Postgres
import TestSupport
import Testing

/// A database behind a wire that misbehaves.
@Suite struct ChaosTests {
    private func start(timeout: Duration = .seconds(10)) async throws -> (ChaosProxy, Registry, database: String) {
        let database = try await TestCluster.shared.freshDatabase()
        let proxy = ChaosProxy(to: database)
        var configuration = Pool.Configuration(conninfo: proxy.conninfo(database), statementTimeout: timeout)
        configuration.timeout = timeout
        let registry = try Registry(pool: Pool(configuration), policy: .unlimited)
        // However busy the machine is with other tests.
        while true {
            do {
                _ = try await registry.claim("warm_up_f", for: owner("zero"))
                return (proxy, registry, database)
            } catch let error as PostgresError where error.isTransient {}
        }
    }

    @Test func aResetInTheMiddleOfACommitIsResolvedByTheRegistryItself() async throws {
        let (proxy, registry, database) = try await start()
        for round in 0..<10 {
            proxy.set(.losesCommits())
            let before = proxy.commitsLost
            var wasRepeated = false
            let mend = Task {
                while proxy.commitsLost == before { try await Task.sleep(for: .milliseconds(1)) }
                proxy.set(.calm)
            }
            // The first try is committed, and the second finds out: a success, and a new one.
            let name = "commit_\(round)x"
            var outcomes: [String] = []
            while outcomes.isEmpty {
                do {
                    outcomes.append(word(try await registry.claim(name, for: owner("one"))))
                } catch let error as PostgresError where error.isTransient {
                    // Not heard of even then, as on a busy machine: the caller's own repeat finds out.
                    wasRepeated = true
                }
            }
            #expect(outcomes == ["taken"] || wasRepeated && outcomes == ["already"])
            try await mend.value
            #expect(word(try await registry.claim(name, for: owner("one"))) != "refused: taken")
            #expect(try await registry.record(of: handle(name))?.version == 1)
        }
        #expect(try await discrepancies(Registry(pool: patientPool(database))).isEmpty)
    }

    /// The name of an outcome, without what it carries.
    private func name(of outcome: some Any) -> String { String("\(outcome)".prefix { $0 != "(" }) }

    /// Every operation, when it never hears that it was committed, says what it has done and not that it was done.
    @Test(.timeLimit(.minutes(5))) func aChangeWhoseCommitIsNotHeardOfKnowsItself() async throws {
        let (proxy, registry, database) = try await start(timeout: .seconds(60))
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
        let (proxy, registry, database) = try await start(timeout: .seconds(60))
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

    @Test func aCutIsAFaultOfAMomentAndThenAllIsWell() async throws {
        let (proxy, registry, database) = try await start()
        proxy.set(.cut)
        await #expect {
            _ = try await registry.claim("johndoe", for: owner("one"))
        } throws: { error in
            (error as? PostgresError)?.isTransient == true
        }
        proxy.set(.calm)
        let start = ContinuousClock.now
        while true {
            do {
                #expect(word(try await registry.claim("johndoe", for: owner("one"))) == "taken")
                break
            } catch let error as PostgresError where error.isTransient && ContinuousClock.now - start < .seconds(20) {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        #expect(try await discrepancies(Registry(pool: patientPool(database))).isEmpty)
    }

    @Test func aBlackHoleEndsInATimeOutAndNotInAHang() async throws {
        let (proxy, registry, database) = try await start(timeout: .seconds(4))
        proxy.set(.blackHole)
        await #expect {
            _ = try await registry.claim("johndoe", for: owner("one"))
        } throws: { error in
            (error as? PostgresError)?.isTransient == true
        }
        proxy.set(.calm)
        let patient = try Registry(pool: patientPool(database), policy: .unlimited)
        #expect(word(try await patient.claim("johndoe", for: owner("one"))) == "taken")
        #expect(try await discrepancies(patient).isEmpty)
    }

    @Test func aDelayOnlyTakesTime() async throws {
        let (proxy, registry, database) = try await start(timeout: .seconds(60))
        proxy.set(.delay(milliseconds: 15))
        try await withThrowingTaskGroup(of: String.self) { group in
            for racer in 0..<16 {
                group.addTask { word(try await registry.claim("slow_race", for: owner("racer-\(racer)"))) }
            }
            let outcomes = try await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
            #expect(outcomes == ["taken": 1, "refused: taken": 15])
        }
        #expect(try await discrepancies(Registry(pool: patientPool(database))).isEmpty)
    }

    /// Requests with a key are repeated until they are answered.
    @Test(.timeLimit(.minutes(5))) func aRequestWithAKeyTakesEffectOnceHoweverOftenItIsCut() async throws {
        let (proxy, registry, database) = try await start()
        let patient = try Registry(pool: patientPool(database), policy: .unlimited)
        let chaos = proxy.makeTrouble(pause: .milliseconds(TestCluster.shared.isDistributed ? 1500 : 30))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask {
                    let name = "keyed_\(number)x"
                    let request = IdempotentRequest(key: "key-\(number)", caller: "admin", content: Array(name.utf8))
                    var replies: Set<Reply> = []
                    while replies.count < 1 || Bool.random() {
                        let random = UInt8.random(in: 0...255)
                        do {
                            let claim = Claim(name, for: try owner("one"), Registry.testCause)
                            let reply = try await registry.perform(claim, once: request) { outcome in
                                Answer(status: word(outcome) == "taken" ? 201 : 200, headers: [], body: [random])
                            }
                            if reply != .inFlight { replies.insert(reply) }
                        } catch let error as PostgresError where error.isTransient {
                            try await Task.sleep(for: .milliseconds(10))
                        }
                    }
                    #expect(replies.count == 1, "\(name) was answered in different ways")
                    #expect(try await patient.record(of: handle(name))?.version == 1)
                }
            }
            try await group.waitForAll()
        }
        chaos.cancel()
        await chaos.value
        #expect(try await discrepancies(patient).isEmpty)
    }
}
