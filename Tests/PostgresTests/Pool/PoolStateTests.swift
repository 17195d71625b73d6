import Testing

@testable import Postgres

/// The actions of a pool at each event, without a server. Connections and waiters are numbers.
@Suite struct PoolStateTests: PoolSteps {
    @Test func waitersGetConnectionsInTheOrderOfTheirArrival() throws {
        var pool = pool(1)
        try open(&pool)
        #expect([turn(&pool), turn(&pool)] == ["wait 1", "wait 2"])
        #expect(pool.leave(7) == nil)
        #expect(giveBack(1, to: &pool) == "hand over to 1")
        #expect(pool.leave(1) == nil)
        #expect(giveBack(1, to: &pool) == "hand over to 2")
        #expect(giveBack(1, to: &pool) == "keep")
        #expect(numbers(pool) == [1, 1, 2])
    }

    @Test func idleConnectionsAreTakenAllAtOnce() throws {
        var pool = pool(2)
        try open(&pool)
        try open(&pool)
        #expect([giveBack(1, to: &pool), giveBack(2, to: &pool)] == ["keep", "keep"])
        #expect(pool.takeIdle() == [1, 2])
        #expect(numbers(pool) == [0, 0, 0])
        #expect(turn(&pool) == "open")
    }

    @Test func closedPoolRefusesCallersAndClosesItsConnections() throws {
        var pool = pool(2)
        try open(&pool)
        try open(&pool)
        #expect([turn(&pool), turn(&pool)] == ["wait 1", "wait 2"])
        #expect(pool.leave(1) == 1)
        #expect(pool.leave(2) == 2)
        #expect(giveBack(1, to: &pool) == "keep")
        #expect(pool.enter(9, as: 9) == true)
        let (idle, waiters) = pool.close()
        #expect(idle == [1])
        #expect(waiters == [9])
        #expect(pool.leave(9) == nil)
        #expect(pool.takeIdle() == [])
        #expect(giveBack(2, to: &pool) == "close")
        #expect(turn(&pool) == "closed")
        #expect(pool.enter(10, as: 10) == false)
    }

    @Test func wokenCallerIsNotRefusedBecauseOfOthersThatWait() throws {
        var pool = pool(1)
        try open(&pool)
        #expect([turn(&pool), turn(&pool), turn(&pool)] == ["wait 1", "wait 2", "overloaded"])
        guard case .wait(3) = try pool.take(hasWaited: true, at: start) else {
            Issue.record("it waits again"); return
        }
    }

    @Test func poolStaysClosedWhenAttemptsEndLater() throws {
        var pool = pool(2)
        let (first, second) = (try attempt(&pool), try attempt(&pool))
        _ = pool.close()
        pool.giveUp(first, after: refused, in: .zero, at: start)
        pool.opened(second)
        #expect([turn(&pool), giveBack(1, to: &pool), turn(&pool)] == ["closed", "close", "closed"])
    }

    /// Callers that come, wait, leave and give back, and a server that comes and goes: no two callers have the same
    /// connection, and none waits for nothing.
    @Test func randomCallersNeitherShareAConnectionNorWaitForEver() {
        for seed in 0..<1000 as Range<UInt64> {
            var simulation = PoolSimulation(seed: seed)
            let fault = simulation.run(events: 200)
            #expect(fault == nil, "seed \(seed): \(fault ?? "")")
        }
    }

    @Test func connectionsThatAreUnusedForLongAreTakenOldestFirst() throws {
        var pool = pool(3)
        for _ in 1...3 { try open(&pool) }
        for (session, second) in [(1, 0), (2, 5), (3, 10)] {
            #expect(giveBack(session, to: &pool, at: Double(second)) == "keep")
        }
        #expect(pool.takeIdle(since: start + .seconds(4)) == [1])
        #expect(pool.takeIdle(since: start + .seconds(4)) == [])
        // The last one is used again, so it stays.
        #expect(turn(&pool) == "take 3")
        #expect(pool.takeIdle(since: start + .seconds(60)) == [2])
        #expect(numbers(pool) == [1, 0, 0])
    }

    @Test func lowerLimitClosesConnectionsAboveItAndOpensNoMore() throws {
        var pool = pool(3)
        for _ in 1...3 { try open(&pool) }
        pool.limit(to: 1)
        #expect(giveBack(1, to: &pool) == "close")
        pool.closed()
        #expect(giveBack(2, to: &pool) == "close")
        pool.closed()
        #expect(giveBack(3, to: &pool) == "keep")
        #expect([turn(&pool), turn(&pool)] == ["take 3", "wait 1"])
        // At least one stays, and a limit is never raised.
        pool.limit(to: 0)
        pool.limit(to: 9)
        #expect(giveBack(3, to: &pool) == "hand over to 1")
        #expect(turn(&pool) == "wait 2")
    }
}
