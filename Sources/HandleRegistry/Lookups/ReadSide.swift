import NIOConcurrencyHelpers
import Postgres

/// Where checks are read: from a replica that keeps up with the primary when there is one, else from the primary.
///
/// Every answer of the replica comes with what server it is and up to where it had replayed the primary's log, in the same
/// round trip, so that its age is known and not assumed. The age is measured against the primary's log, not by the time
/// of the replica's last change, which says nothing while nobody writes.
package final class ReadSide: Sendable {
    /// An answer of the replica that may be older than this is thrown away, and the primary asked.
    package static let greatestAge = Duration.seconds(2)
    /// How many positions of the primary's log are remembered, one a second: an answer from before the oldest is too old.
    private static let positions = 60

    /// How far the replica is.
    package struct Lag: Sendable, Equatable {
        /// Nil when it is not known, since one of the two can't be asked or the server is no replica of the primary.
        package var behind: Duration?
        var measuredAt: ContinuousClock.Instant
    }

    private struct State {
        /// What server the primary is.
        var identity: ServerIdentity?
        /// Where the primary's log ended at which time, oldest first.
        var primary: [(at: ContinuousClock.Instant, position: Int64)] = []
        var lag: Lag?
        /// Whether the replica may be asked, by the last measurement and the answers since.
        var mayBeAsked = false
        /// When the primary has last answered instead of the replica: no later answer is older.
        var primaryAnswered: ContinuousClock.Instant?
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

    /// Runs a query on the replica if it keeps up; on the primary otherwise, or when the replica fails in whatever way.
    /// - Returns: the rows, and since when there may be changes that they do not tell of; nil for rows of the primary.
    func run<First: Statement, Second: Statement>(
        _ first: First, _ second: Second
    ) async throws -> (first: [First.Row], second: [Second.Row], asOf: ContinuousClock.Instant?) {
        if let replica = replicaThatKeepsUp(at: .now) {
            do {
                let (progress, firstRows, secondRows) = try await replica.run(
                    pipeline: ReplicaProgress(), first, second)
                if let asOf = noteAnswer(progress.first, at: .now) { return (firstRows, secondRows, asOf) }
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                // Not asked again before the next measurement.
                state.withLockedValue { state in
                    state.mayBeAsked = false
                    state.lag?.behind = nil
                }
            }
        }
        let (firstRows, secondRows) = try await primary.run(pipeline: first, second)
        state.withLockedValue { state in
            state.reads.primary += 1
            state.primaryAnswered = .now
        }
        return (firstRows, secondRows, nil)
    }

    func replicaThatKeepsUp(at now: ContinuousClock.Instant) -> Pool? {
        guard let replica else { return nil }
        let keepsUp = state.withLockedValue { state in
            // Without a new measurement the last answer would soon be too old.
            state.mayBeAsked && state.primary.last.map { now - $0.at <= Self.greatestAge } ?? false
        }
        return keepsUp ? replica : nil
    }

    /// Measures how far the replica is behind; to be called about once a second.
    /// - Throws: ``PostgresError`` when one of the two can't be asked; the lag is not known then.
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

    /// Notes what was read: where the primary's log ended at `start`, and up to where the replica had replayed it later.
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
            // Since when the replica has not got everything: the first moment whose end of the log it has not reached.
            let missing = state.primary.first { $0.position > replica.position }
            state.lag = Lag(behind: missing.map { now - $0.at } ?? .zero, measuredAt: now)
            state.mayBeAsked = asOf(replica, state, at: now) != nil
        }
    }

    /// Notes with what an answer of the replica came.
    /// - Returns: since when it may not tell of changes; nil when it is not to be used.
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

    /// The last moment for which it is known that the replica had everything; nil when that is too long ago, or before an
    /// answer that the primary has given since.
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
