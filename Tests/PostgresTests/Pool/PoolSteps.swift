@testable import Postgres

private let firstMoment = ContinuousClock.now

/// Short forms of what callers of a pool do, for tests of its state.
protocol PoolSteps {}

extension PoolSteps {
    typealias State = PoolState<Int, Int>

    /// A pool of `size` connections, for two callers that wait. A call has 10 s; the back-off is 1, 2, then 3 s.
    func pool(_ size: Int) -> State {
        var configuration = Pool.Configuration(conninfo: "")
        (configuration.size, configuration.maxWaiters, configuration.timeout) = (size, 2, .seconds(10))
        (configuration.firstRetryDelay, configuration.longestRetryDelay) = (.seconds(1), .seconds(3))
        return State(configuration)
    }

    var start: ContinuousClock.Instant { firstMoment }
    var refused: PostgresError { PostgresError(.unavailable, "no") }
    var late: PostgresError { PostgresError(.timedOut, "late") }

    /// The next turn of a caller, in words.
    func turn(_ pool: inout State, at second: Double = 0) -> String {
        do {
            switch try pool.take(at: start + .seconds(second)) {
            case .take(let session): return "take \(session)"
            case .open(let attempt): return attempt.isProbe ? "probe" : "open"
            case .wait(let id):
                _ = pool.enter(Int(id), as: id)
                return "wait \(id)"
            }
        } catch {
            return "\(error.code)"
        }
    }

    func attempt(_ pool: inout State, at second: Double = 0) throws -> State.Attempt {
        guard case .open(let attempt) = try pool.take(at: start + .seconds(second)) else { throw refused }
        return attempt
    }

    /// Opens a connection for a caller.
    func open(_ pool: inout State) throws { pool.opened(try attempt(&pool)) }

    func giveBack(_ session: Int, to pool: inout State, isReusable: Bool = true, at second: Double = 0) -> String {
        switch pool.giveBack(session, isReusable: isReusable, at: start + .seconds(second)) {
        case .handOver(let waiter): "hand over to \(waiter)"
        case .keep: "keep"
        case .close: "close"
        }
    }

    func numbers(_ pool: State) -> [Int] {
        [pool.metrics.connections, pool.metrics.idle, pool.metrics.waiting]
    }
}
