import HandleRules

@testable import Postgres

/// Random callers of a pool, and a server that is reachable now and then. It performs what the state of the pool
/// returns as `Pool` does.
struct PoolSimulation {
    private var random: SeededGenerator
    private var pool: PoolState<Int, UInt64>
    private var now = ContinuousClock.now
    private var isReachable = true
    /// The number of connections so far, which are numbered.
    private var opened = 0
    private var held: [Int] = []
    private var attempts: [PoolState<Int, UInt64>.Attempt] = []
    private var queue: Set<UInt64> = []
    private var timers: Set<ContinuousClock.Instant> = []
    private var fault: String?

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        var configuration = Pool.Configuration(conninfo: "")
        (configuration.size, configuration.maxWaiters) = (3, 6)
        pool = PoolState(configuration)
    }

    /// - Returns: what went wrong; nil if nothing did.
    mutating func run(events: Int) -> String? {
        for _ in 0..<events where fault == nil {
            step()
            check()
        }
        // Every caller ends: the attempts succeed, and the connections are given back.
        while fault == nil, !attempts.isEmpty || !held.isEmpty {
            if let attempt = attempts.popLast() {
                succeed(attempt)
            } else {
                giveBack(held.removeLast(), isReusable: true)
            }
        }
        if !queue.isEmpty { note("\(queue.count) callers wait for ever") }
        if pool.metrics.waiting != 0 { note("\(pool.metrics.waiting) waiting callers are counted, and none waits") }
        return fault
    }

    private mutating func note(_ text: String) { fault = fault ?? text }

    private mutating func step() {
        now += .milliseconds(Int.random(in: 0..<200, using: &random))
        fireTimer()
        switch Int.random(in: 0..<13, using: &random) {
        case 0...3: take()
        case 4, 5:
            guard let attempt = attempts.popLast() else { return }
            if isReachable { succeed(attempt) } else { fail(attempt) }
        case 6...8:
            guard let index = held.indices.randomElement(using: &random) else { return }
            giveBack(held.remove(at: index), isReusable: isReachable && Bool.random(using: &random))
        case 9: if let id = queue.sorted().randomElement(using: &random) { leave(id) }
        case 10: isReachable.toggle()
        case 11: closeIdle()
        default: yield()
        }
    }

    private mutating func closeIdle() {
        if pool.takeIdle().contains(where: held.contains) { note("a connection was closed while it was in use") }
        wake()
    }

    private mutating func take(hasWaited: Bool = false) {
        guard let turn = try? pool.take(hasWaited: hasWaited, at: now) else { return }
        switch turn {
        case .take(let session): hold(session)
        case .open(let attempt): attempts.append(attempt)
        case .wait(let id):
            queue.insert(id)
            // Another caller may come in between.
            if Int.random(in: 0..<8, using: &random) == 0, !held.isEmpty {
                giveBack(held.removeLast(), isReusable: true)
            }
            _ = pool.enter(id, as: id)
            wake()
        }
    }

    private mutating func hold(_ session: Int) {
        if held.contains(session) { note("two callers have connection \(session)") }
        held.append(session)
    }

    private mutating func succeed(_ attempt: PoolState<Int, UInt64>.Attempt) {
        pool.opened(attempt)
        opened += 1
        hold(opened)
        wake()
    }

    private mutating func fail(_ attempt: PoolState<Int, UInt64>.Attempt) {
        let isQuick = Bool.random(using: &random)
        let time = isQuick ? Duration.zero : .seconds(1)
        let error = PostgresError(Bool.random(using: &random) ? .unavailable : .timedOut, "")
        let hasOthers = pool.giveUpIfOthers(attempt, after: error, in: time, at: now)
        if !hasOthers {
            var attempt = attempt
            let otherYields = Bool.random(using: &random)
            if error.code == .unavailable,
                pool.retry(&attempt, otherYields: otherYields, until: now + .seconds(5), at: now) != nil
            {
                attempts.append(attempt)
                return
            }
            let isCancelled = Int.random(in: 0..<4, using: &random) == 0
            pool.giveUp(attempt, after: isCancelled ? CancellationError() : error, in: time, at: now)
        }
        wake()
        if hasOthers, error.code != .timedOut { take() }
    }

    private mutating func giveBack(_ session: Int, isReusable: Bool) {
        switch pool.giveBack(session, isReusable: isReusable, at: now) {
        case .handOver(let id):
            endWait(id)
            hold(session)
        case .keep: break
        case .close:
            pool.closed()
            wake()
        }
    }

    private mutating func leave(_ id: UInt64) {
        guard pool.leave(id) == id else { return note("caller \(id) was not in the queue") }
        endWait(id)
    }

    private mutating func endWait(_ id: UInt64) {
        if queue.remove(id) == nil { note("caller \(id) was woken twice") }
        pool.endWait()
    }

    private mutating func yield() {
        if case .close(let session) = pool.yield(for: .milliseconds(300), at: now), held.contains(session) {
            note("connection \(session) was closed while it was in use")
        }
    }

    private mutating func wake() {
        let woken = pool.wake(at: now)
        if let time = pool.timer(at: now) { timers.insert(time) }
        for id in woken {
            endWait(id)
            take(hasWaited: true)
        }
    }

    private mutating func fireTimer() {
        for time in timers.sorted() where time <= now {
            timers.remove(time)
            if pool.timerFired(time) { wake() }
        }
    }

    private mutating func check() {
        let metrics = pool.metrics
        if metrics.connections > 3 { note("\(metrics.connections) connections are more than 3") }
        if metrics.waiting != queue.count { note("\(metrics.waiting) callers wait, not \(queue.count)") }
        if metrics.connections - metrics.idle != held.count + attempts.count { note("connections are miscounted") }
        if !queue.isEmpty, metrics.idle > 0 { note("callers wait although a connection is idle") }
        let isHopeless = held.isEmpty && !attempts.contains { !$0.isProbe }
        if !queue.isEmpty, isHopeless { note("callers wait for nothing") }
        if !queue.isEmpty, attempts.isEmpty, pool.opensAt(now) == now {
            note("callers wait although a connection may be opened")
        }
    }
}
