import NIOConcurrencyHelpers
package import Postgres

/// Reads for checks: from a replica that keeps up with the primary, otherwise from the primary.
///
/// Each reply of the replica has the server's identity and its replay position, read in the same round trip, so the
/// reply's age is known. Age is measured against the primary's log. The time of the replica's last change would say
/// nothing while there are no writes.
package final class ReadSide: Sendable {
    /// A reply of the replica that may be older than this is discarded, and the primary is queried.
    package static let greatestAge = Duration.seconds(2)
    /// Positions of the primary's log that are remembered, one a second. A reply from before the oldest is too old.
    private static let positions = 60

    /// The lag of the replica.
    package struct Lag: Sendable, Equatable {
        /// Nil if unknown: one of the two servers did not answer, or the server is not a replica of the primary.
        package var behind: Duration?
        var measuredAt: ContinuousClock.Instant
    }

    private struct State {
        /// Identity of the primary.
        var identity: ServerIdentity?
        /// Ends of the primary's log with their times, oldest first.
        var primary: [(at: ContinuousClock.Instant, position: Int64)] = []
        var lag: Lag?
        /// True if the replica may be queried, according to the last measurement and the replies since.
        var mayBeAsked = false
        /// Time of the last reply by the primary. No later reply may be older, so that a caller never sees the state go
        /// back.
        var primaryAnswered: ContinuousClock.Instant?
        var reads = (replica: 0, primary: 0)
    }

    let primary: Pool
    /// A connection to the primary for measurements.
    private let background: Pool
    package let replica: Pool?
    private let state = NIOLockedValueBox(State())

    init(primary: Pool, background: Pool? = nil, replica: Pool?) {
        self.primary = primary
        self.background = background ?? primary
        self.replica = replica
    }

    /// The last measurement; nil before the first.
    package var lag: Lag? { state.withLockedValue(\.lag) }

    /// Numbers of queries by server.
    package var reads: (replica: Int, primary: Int) { state.withLockedValue(\.reads) }

    /// Runs a statement on the replica if it keeps up; otherwise, or if the replica fails, on the primary.
    /// - Returns: the rows, and the moment after which changes may be missing; nil for rows of the primary.
    func run<S: Statement>(_ statement: S) async throws -> (rows: [S.Row], asOf: ContinuousClock.Instant?) {
        if let replica = replicaThatKeepsUp(at: .now) {
            do {
                let (progress, rows) = try await replica.run(pipeline: ReplicaProgress(), statement)
                if let asOf = noteAnswer(progress.first, at: .now) { return (rows, asOf) }
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                // The replica is not queried before the next measurement.
                state.withLockedValue { state in
                    state.mayBeAsked = false
                    state.lag?.behind = nil
                }
            }
        }
        let rows = try await primary.run(statement)
        state.withLockedValue { state in
            state.reads.primary += 1
            state.primaryAnswered = .now
        }
        return (rows, nil)
    }

    func replicaThatKeepsUp(at now: ContinuousClock.Instant) -> Pool? {
        guard let replica else { return nil }
        let keepsUp = state.withLockedValue { state in
            // Without a new measurement, replies would soon be too old.
            state.mayBeAsked && state.primary.last.map { now - $0.at <= Self.greatestAge } ?? false
        }
        return keepsUp ? replica : nil
    }

    /// Measures the lag; to be called about once a second.
    /// - Throws: ``PostgresError`` if one of the two servers does not answer. The lag is then unknown.
    package func measure() async throws {
        guard let replica else { return }
        do {
            let start = ContinuousClock.now
            guard let progress = try await background.run(PrimaryProgress()).first else { return }
            let replayed = try await replica.run(ReplicaProgress()).first
            note(primary: progress, at: start, replica: replayed, now: .now)
        } catch {
            state.withLockedValue { state in
                state.mayBeAsked = false
                state.lag = Lag(behind: nil, measuredAt: .now)
            }
            throw error
        }
    }

    /// Notes a measurement: the end of the primary's log at `start`, and the replica's position read after it.
    func note(
        primary: LogProgress, at start: ContinuousClock.Instant, replica: LogProgress?, now: ContinuousClock.Instant
    ) {
        state.withLockedValue { state in
            if state.identity != primary.identity { (state.identity, state.primary) = (primary.identity, []) }
            if state.primary.count == Self.positions { state.primary.removeFirst() }
            state.primary.append((start, primary.position))
            guard let replica, replica.identity == primary.identity else {
                state.mayBeAsked = false
                state.lag = Lag(behind: nil, measuredAt: now)
                return
            }
            // The lag counts from the first remembered position that the replica has not reached.
            let missing = state.primary.first { $0.position > replica.position }
            state.lag = Lag(behind: missing.map { now - $0.at } ?? .zero, measuredAt: now)
            state.mayBeAsked = asOf(replica, state, at: now) != nil
        }
    }

    /// Notes the position that came with a reply of the replica.
    /// - Returns: the moment after which changes may be missing; nil if the reply can't be used.
    func noteAnswer(_ progress: LogProgress?, at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        state.withLockedValue { state in
            guard let progress, let asOf = asOf(progress, state, at: now) else {
                state.mayBeAsked = false
                return nil
            }
            state.reads.replica += 1
            return asOf
        }
    }

    /// The last moment at which the replica had every change. Nil if that is too long ago, or before the last reply of
    /// the primary.
    private func asOf(
        _ replica: LogProgress, _ state: State, at now: ContinuousClock.Instant
    ) -> ContinuousClock.Instant? {
        guard replica.identity == state.identity,
            let asOf = state.primary.last(where: { $0.position <= replica.position })?.at,
            now - asOf <= Self.greatestAge,
            state.primaryAnswered.map({ asOf >= $0 }) ?? true
        else { return nil }
        return asOf
    }
}
