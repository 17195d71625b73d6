import Testing

@testable import Postgres

/// The actions of a pool while the server can't be reached or allows fewer connections. Connections and waiters are
/// numbers.
@Suite struct PoolOutageTests: PoolSteps {
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
        #expect(probe.isProbe)
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
        #expect(second.isProbe)
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
}
