/// The state of a pool: its connections, the callers that wait for one, and whether the server can be reached.
///
/// A value without connections, tasks or a clock: the pool reports each event, and performs what is returned. `Session`
/// is a connection, and `Waiter` resumes a caller that waits.
struct PoolState<Session, Waiter> {
    typealias Instant = ContinuousClock.Instant

    enum Phase {
        /// The server is reachable, or not known to be unreachable.
        case serving
        /// No connection can be opened: the error for callers, the time of the next attempt, and the back-off.
        case outage(PostgresError, retryAt: Instant, delay: Duration)
        case closed
    }

    /// An attempt to open a connection.
    struct Attempt {
        /// True during an outage: other callers get the error meanwhile, and do not wait for the connection.
        fileprivate(set) var isProbe = false
        /// The number of failed attempts before this one began.
        fileprivate let failures: UInt64
        /// The end of retries after a failure, and the pause before the next one.
        fileprivate var end: Instant?
        fileprivate var pause = Duration.milliseconds(10)
        fileprivate static var longestPause: Duration { .milliseconds(80) }
    }

    let configuration: Pool.Configuration
    private var phase = Phase.serving
    /// The maximum number of connections.
    private var size: Int
    /// The connections that are not in use, each with the time since then. The last one is used first.
    private var idle: [(session: Session, since: Instant)] = []
    /// Numbers of connections in use, and of those that are being closed.
    private var (leased, closing) = (0, 0)
    /// Numbers of attempts to open a connection by kind.
    private var (opening, probes) = (0, 0)
    private var waiters: [(id: UInt64, waiter: Waiter)] = []
    /// The number of callers that wait: those in ``waiters``, and those about to enter or leave it.
    private var waiting = 0
    /// The time of the timer that wakes a waiter.
    private var timerAt: Instant?
    private var lastID: UInt64 = 0
    /// The number of failed attempts to open a connection so far.
    private var failures: UInt64 = 0
    /// Until then, free places are left to the other pool on the same server.
    private var yieldsUntil: Instant?
    /// True if the next connection that is given back is to be closed for the other pool.
    private var owesConnection = false

    init(_ configuration: Pool.Configuration) {
        self.configuration = configuration
        size = configuration.size
    }

    /// Lowers the maximum number of connections. Connections above it are closed when they are given back.
    mutating func limit(to size: Int) { self.size = min(self.size, max(1, size)) }

    /// Connections that exist or are being opened.
    private var count: Int { expected + probes }

    /// Connections to wait for: each will be given back, opened, or closed, which makes room for another.
    private var expected: Int { idle.count + leased + closing + opening }

    var metrics: Pool.Metrics { Pool.Metrics(connections: count, idle: idle.count, waiting: waiting) }

    /// The time from which a connection may be opened, now or later; nil if there is no free place.
    func opensAt(_ now: Instant) -> Instant? {
        guard count < size else { return nil }
        var time = now
        if expected > 0, let yieldsUntil { time = max(time, yieldsUntil) }
        if case .outage(_, let retryAt, _) = phase { time = max(time, retryAt) }
        return time
    }

    // MARK: Taking a connection

    enum Turn {
        case take(Session)
        case open(Attempt)
        /// Wait in the queue, as the waiter with this number, and report the end with ``endWait()``.
        case wait(UInt64)
    }

    /// A caller wants a connection.
    /// - Parameter hasWaited: true for a caller that was woken, which is not refused because of others that wait.
    /// - Throws: ``PostgresError`` `.closed`, `.overloaded`; the error of the outage.
    mutating func take(hasWaited: Bool = false, at now: @autoclosure () -> Instant) throws(PostgresError) -> Turn {
        if case .closed = phase { throw .closedPool }
        if let (session, _) = idle.popLast() {
            leased += 1
            return .take(session)
        }
        let now = now()
        if opensAt(now) == now { return .open(attempt(at: now)) }
        if case .outage(let error, _, _) = phase, expected == 0 { throw error }
        guard hasWaited || waiting < configuration.maxWaiters else {
            throw PostgresError(.overloaded, "too many callers are waiting for the database")
        }
        waiting += 1
        lastID += 1
        return .wait(lastID)
    }

    /// Begins an attempt. During an outage, one caller tries to open a connection; until it succeeds or fails, the
    /// others get the known error.
    private mutating func attempt(at now: Instant) -> Attempt {
        guard case .outage(let error, _, let delay) = phase else {
            opening += 1
            return Attempt(failures: failures)
        }
        phase = .outage(error, retryAt: now + configuration.timeout, delay: delay)
        probes += 1
        return Attempt(isProbe: true, failures: failures)
    }

    /// A caller enters the queue.
    /// - Returns: false if the pool is closed; the caller is not in the queue then.
    mutating func enter(_ waiter: Waiter, as id: UInt64) -> Bool {
        if case .closed = phase { return false }
        waiters.append((id, waiter))
        return true
    }

    /// A caller wants to leave the queue.
    /// - Returns: nil if it is not in the queue, or not any more.
    mutating func leave(_ id: UInt64) -> Waiter? {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return nil }
        return waiters.remove(at: index).waiter
    }

    /// A caller waits no longer.
    mutating func endWait() { waiting -= 1 }

    var hasWaiters: Bool { !waiters.isEmpty }

    /// The waiters to wake: one for each idle connection, and one to open a connection if that is possible; or all if
    /// there is an outage and no connection to wait for. Each takes its next turn.
    ///
    /// One at a time opens a connection, because the server may allow fewer than ``Pool/Configuration/size``.
    mutating func wake(at now: Instant) -> [Waiter] {
        var count = idle.count + (opensAt(now) == now ? 1 : 0)
        if case .outage = phase, expected == 0 { count = waiters.count }
        let woken = waiters.prefix(count)
        waiters.removeFirst(woken.count)
        return woken.map(\.waiter)
    }

    /// The later time at which a connection may be opened for a waiter, if a timer must be set for that.
    mutating func timer(at now: Instant) -> Instant? {
        guard hasWaiters, let time = opensAt(now), time > now, timerAt.map({ time < $0 }) ?? true else { return nil }
        timerAt = time
        return time
    }

    /// A timer fired.
    /// - Returns: false if an earlier one was set meanwhile, which took its place.
    mutating func timerFired(_ time: Instant) -> Bool {
        guard timerAt == time else { return false }
        timerAt = nil
        return true
    }

    // MARK: Giving back

    enum Return {
        /// Give the connection to this waiter.
        case handOver(Waiter)
        /// The connection is idle now.
        case keep
        /// Close the connection, then report that with ``closed()``.
        case close
    }

    /// A caller gives a connection back.
    mutating func giveBack(_ session: Session, isReusable: Bool, at now: @autoclosure () -> Instant) -> Return {
        let isKept = isReusable && !owesConnection && count <= size
        owesConnection = false
        if case .closed = phase { return close() }
        guard isKept else { return close() }
        if !waiters.isEmpty { return .handOver(waiters.removeFirst().waiter) }
        leased -= 1
        idle.append((session, now()))
        return .keep

        func close() -> Return {
            (leased, closing) = (leased - 1, closing + 1)
            return .close
        }
    }

    /// A connection that was given back is closed.
    mutating func closed() { closing -= 1 }

    /// Takes the idle connections, to be closed.
    mutating func takeIdle() -> [Session] {
        defer { idle = [] }
        return idle.map(\.session)
    }

    /// Takes the connections that have been idle since a moment or longer, to be closed.
    mutating func takeIdle(since moment: Instant) -> [Session] {
        let old = idle.prefix { $0.since <= moment }
        idle.removeFirst(old.count)
        return old.map(\.session)
    }

    /// The pool is closed: the idle connections, to be closed, and the callers that wait, to be refused.
    mutating func close() -> (idle: [Session], waiters: [Waiter]) {
        phase = .closed
        defer { waiters = [] }
        return (takeIdle(), waiters.map(\.waiter))
    }

    // MARK: Opening

    /// An attempt succeeded: the caller uses the connection.
    mutating func opened(_ attempt: Attempt) {
        end(attempt)
        leased += 1
        if case .outage = phase { phase = .serving }
    }

    private mutating func end(_ attempt: Attempt) {
        if attempt.isProbe { probes -= 1 } else { opening -= 1 }
    }

    /// An attempt failed. It is given up if there are other connections to wait for.
    /// - Parameter time: how long the attempt took.
    /// - Returns: false if there are none.
    mutating func giveUpIfOthers(_ attempt: Attempt, after error: any Error, in time: Duration, at now: Instant) -> Bool
    {
        guard expected - (attempt.isProbe ? 0 : 1) > 0 else { return false }
        giveUp(attempt, after: error, in: time, at: now)
        return true
    }

    /// An attempt failed and is given up.
    mutating func giveUp(_ attempt: Attempt, after error: any Error, in time: Duration, at now: Instant) {
        end(attempt)
        failures += 1
        let delay: Duration
        switch phase {
        case .closed: return
        case .serving: delay = configuration.firstRetryDelay
        case .outage(_, _, let last): delay = last * 2
        }
        if let error = error as? PostgresError, error.code != .timedOut || time >= Self.shortestPatience {
            let delay = min(delay, configuration.longestRetryDelay)
            phase = .outage(error, retryAt: now + delay, delay: delay)
        } else if case .outage(let known, _, let delay) = phase {
            // Cancelled, or the caller had hardly any time left: that says nothing about the server, so the next caller
            // tries.
            phase = .outage(known, retryAt: now, delay: delay)
        }
    }

    /// A server that does not answer for this long counts as unreachable.
    private static var shortestPatience: Duration { .seconds(1) }

    /// The server refused a connection. It is tried again if the server may soon allow it: because the other pool closes
    /// one, or because other connections were being opened at the same moment, which the server counts until it has
    /// refused them too.
    /// - Parameter otherYields: whether the other pool closes one.
    /// - Returns: the pause before the next try; nil if there is none.
    mutating func retry(
        _ attempt: inout Attempt, otherYields: Bool, until deadline: Instant, at now: Instant
    ) -> Duration? {
        if otherYields {
            attempt.end = min(deadline, now + configuration.timeout / 5)
        } else if failures != attempt.failures, attempt.end == nil {
            attempt.end = min(deadline, now + configuration.timeout / 20)
        }
        guard let end = attempt.end, now + attempt.pause < end else { return nil }
        // It is expected to open: callers wait for it.
        if attempt.isProbe {
            attempt.isProbe = false
            (probes, opening) = (probes - 1, opening + 1)
        }
        defer { attempt.pause = min(attempt.pause * 2, Attempt.longestPause) }
        return attempt.pause
    }

    // MARK: Yielding to the other pool

    enum Yield {
        case close(Session)
        /// The next connection that is given back is to be closed.
        case later
        /// There is no connection to spare: the last one stays.
        case none
    }

    /// The other pool has no connection and can't open one.
    /// - Parameter time: how long free places are left to it.
    mutating func yield(for time: Duration, at now: Instant) -> Yield {
        guard idle.count + leased > 1 else { return .none }
        yieldsUntil = now + time
        if let (session, _) = idle.popLast() { return .close(session) }
        owesConnection = true
        return .later
    }
}

extension PoolState: Sendable where Session: Sendable, Waiter: Sendable {}

extension PostgresError {
    static let closedPool = PostgresError(.closed, "the service is stopping")
}
