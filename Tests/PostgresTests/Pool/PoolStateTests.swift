import Testing

@testable import Postgres

/// The actions of a pool at each event, without a server. Connections and waiters are numbers.
@Suite struct PoolStateTests {
    private typealias State = PoolState<Int, Int>

    /// A pool of `size` connections, for two callers that wait. A call has 10 s; the back-off is 1, 2, then 3 s.
    private func pool(_ size: Int) -> State {
        var configuration = Pool.Configuration(conninfo: "")
        (configuration.size, configuration.maxWaiters, configuration.timeout) = (size, 2, .seconds(10))
        (configuration.firstRetryDelay, configuration.longestRetryDelay) = (.seconds(1), .seconds(3))
        return State(configuration)
    }

    private let start = ContinuousClock.now
    private let refused = PostgresError(.unavailable, "no")
    private let late = PostgresError(.timedOut, "late")

    /// The next turn of a caller, in words.
    private func turn(_ pool: inout State, at second: Double = 0) -> String {
        do {
            switch try pool.take(at: start + .seconds(second)) {
            case .take(let session): return "take \(session)"
            case .open(let attempt): return attempt.kind == .probe ? "probe" : "open"
            case .wait(let id):
                _ = pool.enter(Int(id), as: id)
                return "wait \(id)"
            }
        } catch {
            return "\(error.code)"
        }
    }

    private func attempt(_ pool: inout State, at second: Double = 0) throws -> State.Attempt {
        guard case .open(let attempt) = try pool.take(at: start + .seconds(second)) else { throw refused }
        return attempt
    }

    /// Opens a connection for a caller.
    private func open(_ pool: inout State) throws { pool.opened(try attempt(&pool)) }

    private func giveBack(_ session: Int, to pool: inout State, isReusable: Bool = true) -> String {
        switch pool.giveBack(session, isReusable: isReusable) {
        case .handOver(let waiter): "hand over to \(waiter)"
        case .keep: "keep"
        case .close: "close"
        }
    }

    private func numbers(_ pool: State) -> [Int] {
        [pool.metrics.connections, pool.metrics.idle, pool.metrics.waiting]
    }

    @Test func callersTakeIdleConnectionsThenOpenNewOnesThenWait() throws {
        var pool = pool(2)
        try open(&pool)
        #expect(giveBack(1, to: &pool) == "keep")
        #expect(
            ["take 1", "open", "wait 1", "wait 2"].map { _ in turn(&pool) } == ["take 1", "open", "wait 1", "wait 2"])
        #expect(numbers(pool) == [2, 0, 2])
        #expect(turn(&pool) == "overloaded")
        pool.endWait()
        #expect(turn(&pool) == "wait 3")
    }

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

    @Test func waiterThatLeavesGetsNothing() throws {
        var pool = pool(1)
        try open(&pool)
        #expect([turn(&pool), turn(&pool)] == ["wait 1", "wait 2"])
        #expect(pool.leave(1) == 1)
        #expect(giveBack(1, to: &pool) == "hand over to 2")
    }

    @Test func closedConnectionLeavesItsPlaceToTheFirstWaiter() throws {
        var pool = pool(1)
        try open(&pool)
        #expect([turn(&pool), turn(&pool)] == ["wait 1", "wait 2"])
        #expect(giveBack(1, to: &pool, isReusable: false) == "close")
        #expect(pool.wake(at: start) == [])
        pool.closed()
        #expect(pool.wake(at: start) == [1])
        #expect(turn(&pool) == "open")
        #expect(pool.wake(at: start) == [])
    }

    @Test func connectionThatBecomesIdleBeforeACallerIsInTheQueueWakesIt() throws {
        var pool = pool(1)
        try open(&pool)
        guard case .wait(let id) = try pool.take(at: start) else { Issue.record("the pool is full"); return }
        #expect(giveBack(1, to: &pool) == "keep")
        #expect(pool.wake(at: start) == [])
        _ = pool.enter(7, as: id)
        #expect(pool.wake(at: start) == [7])
        #expect(turn(&pool) == "take 1")
    }

    @Test func eachClosedConnectionWakesAWaiter() throws {
        var pool = pool(2)
        for _ in 0..<2 { try open(&pool) }
        #expect([turn(&pool), turn(&pool)] == ["wait 1", "wait 2"])
        #expect([1, 2].map { giveBack($0, to: &pool, isReusable: false) } == ["close", "close"])
        for id in 1...2 {
            pool.closed()
            #expect(pool.wake(at: start) == [id])
        }
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

    // MARK: Outages

    @Test func oneCallerAtATimeTriesToConnectDuringAnOutage() throws {
        var pool = pool(4)
        pool.giveUp(try attempt(&pool), after: refused, in: .zero, at: start)
        #expect([turn(&pool, at: 0.9), turn(&pool, at: 1)] == ["unavailable", "probe"])
        #expect(turn(&pool, at: 10.9) == "unavailable")
        // A probe that takes longer than a call is not waited for, if there is another place.
        #expect(turn(&pool, at: 11) == "probe")
        pool = self.pool(1)
        pool.giveUp(try attempt(&pool), after: refused, in: .zero, at: start)
        #expect([turn(&pool, at: 1), turn(&pool, at: 99)] == ["probe", "unavailable"])
    }

    @Test func backOffDoublesUpToItsLimitAndEndsWithTheOutage() throws {
        var (pool, now) = (pool(4), 0.0)
        for delay in [1.0, 2, 3, 3] {
            pool.giveUp(try attempt(&pool, at: now), after: refused, in: .zero, at: start + .seconds(now))
            now += delay
            #expect(turn(&pool, at: now - 0.1) == "unavailable")
        }
        pool.opened(try attempt(&pool, at: now))
        #expect(turn(&pool, at: now) == "open")
        pool.giveUp(try attempt(&pool, at: now), after: late, in: .seconds(1), at: start + .seconds(now))
        // The connection that was opened is there to wait for.
        #expect(turn(&pool, at: now + 0.9) == "wait 1")
        #expect(turn(&pool, at: now + 1) == "probe")
    }

    @Test func attemptThatTimesOutCountsAsAnOutageAfterASecond() throws {
        var pool = pool(4)
        pool.giveUp(try attempt(&pool), after: late, in: .milliseconds(999), at: start)
        #expect(turn(&pool) == "open")
        pool = self.pool(4)
        pool.giveUp(try attempt(&pool), after: CancellationError(), in: .seconds(9), at: start)
        #expect(turn(&pool) == "open")
        pool = self.pool(4)
        pool.giveUp(try attempt(&pool), after: late, in: .seconds(1), at: start)
        #expect(turn(&pool) == "timedOut")
        // A probe that is cancelled says nothing of the server, so the next caller tries.
        pool.giveUp(try attempt(&pool, at: 1), after: CancellationError(), in: .zero, at: start + .seconds(1))
        pool.giveUp(try attempt(&pool, at: 1), after: refused, in: .zero, at: start + .seconds(1))
        #expect([turn(&pool, at: 2.9), turn(&pool, at: 3)] == ["unavailable", "probe"])
    }

    @Test func allWaitersAreWokenWhenNoConnectionIsLeft() throws {
        var pool = pool(1)
        try open(&pool)
        #expect([turn(&pool), turn(&pool)] == ["wait 1", "wait 2"])
        #expect(giveBack(1, to: &pool, isReusable: false) == "close")
        pool.closed()
        pool.giveUp(try attempt(&pool), after: refused, in: .zero, at: start)
        #expect(pool.wake(at: start) == [1, 2])
        #expect(turn(&pool) == "unavailable")
    }

    @Test func failedAttemptIsGivenUpIfThereAreOtherConnections() throws {
        var pool = pool(4)
        let first = try attempt(&pool)
        #expect(pool.giveUpIfOthers(first, after: refused, in: .zero, at: start) == false)
        pool.opened(first)
        let second = try attempt(&pool)
        #expect(numbers(pool) == [2, 0, 0])
        #expect(pool.giveUpIfOthers(second, after: refused, in: .zero, at: start) == true)
        #expect(numbers(pool) == [1, 0, 0])
        #expect(turn(&pool, at: 0.9) == "wait 1")
        // A probe is not a connection to wait for, so the connection in use is the other one.
        let probe = try attempt(&pool, at: 1)
        #expect(probe.kind == .probe)
        #expect(pool.giveUpIfOthers(probe, after: refused, in: .zero, at: start) == true)
    }

    // MARK: A server that allows fewer connections

    @Test func refusedAttemptIsRepeatedIfOthersFailedMeanwhile() throws {
        var pool = pool(4)
        var (first, second) = (try attempt(&pool), try attempt(&pool))
        #expect(pool.retry(&first, otherYields: false, until: start + .seconds(10), at: start) == nil)
        #expect(pool.giveUpIfOthers(second, after: refused, in: .zero, at: start) == true)
        var hurried = first
        #expect(pool.retry(&hurried, otherYields: false, until: start + .milliseconds(5), at: start) == nil)
        var pauses: [Duration] = []
        var now = start
        while let pause = pool.retry(&first, otherYields: false, until: start + .seconds(10), at: now) {
            pauses.append(pause)
            now += pause
        }
        // For a twentieth of the time of a call.
        #expect(pauses == [10, 20, 40, 80, 80, 80, 80, 80].map { .milliseconds($0) })
        second = try attempt(&pool, at: 1)
        #expect(second.kind == .probe)
        #expect(pool.retry(&second, otherYields: false, until: start + .seconds(10), at: start) == nil)
    }

    @Test func callersWaitForAProbeThatTheOtherPoolMakesRoomFor() throws {
        var pool = pool(4)
        pool.giveUp(try attempt(&pool), after: refused, in: .zero, at: start)
        var probe = try attempt(&pool, at: 1)
        #expect(turn(&pool, at: 1) == "unavailable")
        let now = start + .seconds(1)
        #expect(pool.retry(&probe, otherYields: true, until: now + .milliseconds(5), at: now) == nil)
        #expect(pool.retry(&probe, otherYields: true, until: now + .seconds(10), at: now) == .milliseconds(10))
        #expect(turn(&pool, at: 1) == "wait 1")
        #expect(numbers(pool) == [1, 0, 1])
        pool.opened(probe)
        #expect(giveBack(1, to: &pool) == "hand over to 1")
    }

    @Test func yieldingPoolClosesAnIdleConnectionAndLeavesItsPlaceForAWhile() throws {
        var pool = pool(3)
        try open(&pool)
        guard case .none = pool.yield(for: .seconds(2), at: start) else { Issue.record("it was the last"); return }
        try open(&pool)
        #expect(giveBack(1, to: &pool) == "keep")
        guard case .close(1) = pool.yield(for: .seconds(2), at: start) else { Issue.record("one is idle"); return }
        #expect(numbers(pool) == [1, 0, 0])
        #expect([turn(&pool, at: 1.9), turn(&pool, at: 2)] == ["wait 1", "open"])
        #expect(pool.wake(at: start + .seconds(2)) == [1])
    }

    @Test func yieldingPoolWithoutAnIdleConnectionClosesTheNextOne() throws {
        var pool = pool(3)
        try open(&pool)
        try open(&pool)
        guard case .later = pool.yield(for: .seconds(2), at: start) else { Issue.record("both are in use"); return }
        #expect(turn(&pool) == "wait 1")
        #expect(giveBack(1, to: &pool) == "close")
        pool.closed()
        #expect(pool.wake(at: start) == [])
        #expect(giveBack(2, to: &pool) == "hand over to 1")
    }

    /// A connection that is being opened may fail, and one that is being closed is lost.
    @Test func yieldingPoolKeepsItsLastConnection() throws {
        var pool = pool(3)
        try open(&pool)
        let opening = try attempt(&pool)
        guard case .none = pool.yield(for: .seconds(2), at: start) else { Issue.record("one is open"); return }
        pool.opened(opening)
        #expect(giveBack(1, to: &pool, isReusable: false) == "close")
        guard case .none = pool.yield(for: .seconds(2), at: start) else { Issue.record("one is closing"); return }
        #expect(giveBack(2, to: &pool) == "keep")
    }

    @Test func yieldingPoolClosesOneConnectionOnly() throws {
        var pool = pool(3)
        for _ in 0..<3 { try open(&pool) }
        _ = pool.yield(for: .seconds(2), at: start)
        #expect([1, 2].map { giveBack($0, to: &pool) } == ["close", "keep"])
    }

    @Test func timerWakesAWaiterWhenAConnectionMayBeOpened() throws {
        var pool = pool(3)
        try open(&pool)
        #expect(pool.timer(at: start) == nil)
        pool.giveUp(try attempt(&pool), after: refused, in: .zero, at: start)
        #expect([turn(&pool), turn(&pool)] == ["wait 1", "wait 2"])
        #expect(pool.timer(at: start) == start + .seconds(1))
        // One timer is enough.
        #expect(pool.timer(at: start) == nil)
        #expect(pool.wake(at: start + .milliseconds(999)) == [])
        #expect(pool.timerFired(start + .seconds(1)) == true)
        #expect(pool.wake(at: start + .seconds(1)) == [1])
        // The one that was woken opens it, and what becomes of that wakes the next.
        #expect(pool.timer(at: start + .seconds(1)) == nil)
        let probe = try attempt(&pool, at: 1)
        #expect(pool.timer(at: start + .seconds(1)) == start + .seconds(11))
        // An earlier timer takes the place of a later one.
        pool.giveUp(probe, after: refused, in: .zero, at: start + .seconds(1))
        #expect(pool.timer(at: start + .seconds(1)) == start + .seconds(3))
        #expect(pool.timerFired(start + .seconds(11)) == false)
        #expect(pool.timerFired(start + .seconds(3)) == true)
    }

    @Test func fullPoolNeedsNoTimer() throws {
        var pool = pool(1)
        try open(&pool)
        #expect(turn(&pool) == "wait 1")
        #expect(pool.timer(at: start) == nil)
    }

    // MARK: Random

    /// Callers that come, wait, leave and give back, and a server that comes and goes: no two callers have the same
    /// connection, and none waits for nothing.
    @Test func randomCallersNeitherShareAConnectionNorWaitForEver() {
        for seed in 0..<1000 as Range<UInt64> {
            var simulation = PoolSimulation(seed: seed)
            let fault = simulation.run(events: 200)
            #expect(fault == nil, "seed \(seed): \(fault ?? "")")
        }
    }
}
