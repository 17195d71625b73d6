import NIOConcurrencyHelpers
import Postgres

/// Where checks are read: from a replica that keeps up with the primary when there is one, else from the primary.
///
/// How far the replica is behind is measured against the primary's log, not by the time of its last change, which says
/// nothing while nobody writes.
package final class ReadSide: Sendable {
    /// A replica that is farther behind is not asked.
    package static let greatestLag = Duration.seconds(2)
    /// For how long a measurement counts.
    static let measurementLifetime = Duration.seconds(5)
    /// How many positions of the primary's log are remembered: the lag of a replica that is farther behind is at least
    /// the age of the oldest.
    private static let positions = 600

    /// How far the replica is.
    package struct Lag: Sendable, Equatable {
        /// Nil when it is not known, since one of the two can't be asked or the server is no replica.
        package var behind: Duration?
        var measuredAt: ContinuousClock.Instant
    }

    private struct State {
        /// Where the primary's log ended at which time, oldest first.
        var primary: [(at: ContinuousClock.Instant, position: Int64)] = []
        var lag: Lag?
        var reads = (replica: 0, primary: 0)
    }

    let primary: Pool
    /// A connection to the primary for measurements.
    private let background: Pool
    let replica: Pool?
    private let state = NIOLockedValueBox(State())

    init(primary: Pool, background: Pool? = nil, replica: Pool?) {
        self.primary = primary
        self.background = background ?? primary
        self.replica = replica
    }

    /// The last measurement; nil before there was one.
    package var lag: Lag? { state.withLockedValue(\.lag) }

    /// How many queries went where.
    package var reads: (replica: Int, primary: Int) { state.withLockedValue(\.reads) }

    /// Runs a query on the replica if it keeps up; on the primary otherwise, or when the replica fails.
    func run<First: Statement, Second: Statement>(
        _ first: First, _ second: Second
    ) async throws -> ([First.Row], [Second.Row]) {
        if let replica = replicaThatKeepsUp(at: .now) {
            do {
                let rows = try await replica.run(pipeline: first, second)
                state.withLockedValue { $0.reads.replica += 1 }
                return rows
            } catch let error as PostgresError where error.isTransient {
                // Not asked again before the next measurement.
                state.withLockedValue { $0.lag?.behind = nil }
            }
        }
        state.withLockedValue { $0.reads.primary += 1 }
        return try await primary.run(pipeline: first, second)
    }

    func replicaThatKeepsUp(at now: ContinuousClock.Instant) -> Pool? {
        guard let replica else { return nil }
        let keepsUp = state.withLockedValue { state in
            guard let lag = state.lag, let behind = lag.behind else { return false }
            return behind <= Self.greatestLag && lag.measuredAt + Self.measurementLifetime > now
        }
        return keepsUp ? replica : nil
    }

    /// Measures how far the replica is behind; to be called about once a second.
    /// - Throws: ``PostgresError`` when one of the two can't be asked; the lag is not known then.
    package func measure() async throws {
        guard let replica else { return }
        do {
            let start = ContinuousClock.now
            guard let position = try await background.run(LogPosition()).first else { return }
            let replayed = try await replica.run(ReplayedPosition()).first ?? nil
            note(primary: position, at: start, replayed: replayed, now: .now)
        } catch {
            state.withLockedValue { $0.lag = Lag(behind: nil, measuredAt: .now) }
            throw error
        }
    }

    /// Notes what was read: where the primary's log ended at `start`, and up to where the replica had replayed it later.
    func note(
        primary position: Int64, at start: ContinuousClock.Instant, replayed: Int64?, now: ContinuousClock.Instant
    ) {
        state.withLockedValue { state in
            if state.primary.count == Self.positions { state.primary.removeFirst() }
            state.primary.append((start, position))
            guard let replayed else { return state.lag = Lag(behind: nil, measuredAt: now) }
            // Since when the replica has not got everything: the first moment whose end of the log it has not reached.
            let missing = state.primary.first { $0.position > replayed }
            state.lag = Lag(behind: missing.map { now - $0.at } ?? .zero, measuredAt: now)
        }
    }
}
