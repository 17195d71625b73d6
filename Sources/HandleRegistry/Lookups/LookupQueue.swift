import HandleCore
import NIOConcurrencyHelpers
import Postgres

/// Batches concurrent look-ups into one query.
///
/// A query for fifty handles costs the server and the network hardly more than a query for one. A look-up is sent at
/// once if no query is under way. Otherwise it waits a fraction of a millisecond: until a query returns, or until
/// enough handles wait for another query (see ``Limits``). A caller gets a state that was read after its call began.
final class LookupQueue: Sendable {
    /// Limits of concurrent work.
    struct Limits: Sendable {
        /// Queries under way at most: enough to keep the server's cores busy.
        var running = 3
        /// Handles that must wait before another query joins those under way. Fewer are better batched when a query
        /// returns.
        var namesForAnotherQuery = 128
        /// Handles in one query. A larger batch would delay its first callers noticeably.
        var namesInQuery = 1024
        /// Handles that may wait: the database answers them in about a quarter of a second. More would only time out.
        var waitingNames = 100_000
    }

    private typealias Continuation = CheckedContinuation<Findings, any Error>

    /// The continuation of a caller: not set yet, waiting, or resumed.
    private enum Seat {
        case empty, taken(Continuation), left
    }

    private struct Rider: Sendable {
        let handles: [Handle]
        let seat: NIOLockedValueBox<Seat>
        let deadline: ContinuousClock.Instant

        /// Resumes the caller, unless it was resumed or cancelled before.
        func tell(_ result: Result<Findings, any Error>) {
            let continuation = seat.withLockedValue { seat -> Continuation? in
                defer { seat = .left }
                if case .taken(let continuation) = seat { return continuation }
                return nil
            }
            continuation?.resume(with: result)
        }

        var hasLeft: Bool {
            seat.withLockedValue { if case .left = $0 { true } else { false } }
        }
    }

    private struct State {
        var waiting: [Rider] = []
        var running = 0
        var figures = LookupFigures()
    }

    private let reads: ReadSide
    private let timeout: Duration
    private let lookalikes: Policy.Lookalikes
    private let limits: Limits
    private let state = NIOLockedValueBox(State())

    init(_ reads: ReadSide, _ policy: Policy, limits: Limits = Limits()) {
        self.reads = reads
        timeout = reads.primary.configuration.timeout
        lookalikes = policy.lookalikes
        self.limits = limits
    }

    var figures: LookupFigures { state.withLockedValue(\.figures) }

    /// The state of some handles in the database.
    /// - Throws: ``PostgresError``, `.overloaded` if too many handles wait already; `CancellationError` at once.
    func findings(about handles: [Handle]) async throws -> Findings {
        guard !handles.isEmpty else { return .nothing }
        let rider = Rider(
            handles: handles, seat: NIOLockedValueBox(.empty),
            deadline: .now + timeout)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let hasLeft = rider.seat.withLockedValue { seat -> Bool in
                    // Cancelled before the continuation was set.
                    if case .left = seat { return true }
                    seat = .taken(continuation)
                    return false
                }
                if hasLeft { continuation.resume(throwing: CancellationError()) } else { add(rider) }
            }
        } onCancel: {
            rider.tell(.failure(CancellationError()))
        }
    }

    private func add(_ rider: Rider) {
        enum Turn { case start, wait, refuse }
        let turn = state.withLockedValue { state -> Turn in
            // A call may always wait if no other does, however many handles it has.
            guard state.waiting.isEmpty || state.figures.waitingNames + rider.handles.count <= limits.waitingNames
            else {
                state.figures.refused += 1
                return .refuse
            }
            state.waiting.append(rider)
            state.figures.waitingNames += rider.handles.count
            guard
                state.running == 0
                    || (state.running < limits.running && state.figures.waitingNames >= limits.namesForAnotherQuery)
            else { return .wait }
            state.running += 1
            return .start
        }
        switch turn {
        // A task of its own: cancelling one caller does not cancel the others.
        case .start: Task { await run() }
        case .wait: break
        case .refuse: rider.tell(.failure(PostgresError(.overloaded, "too many look-ups are waiting")))
        }
    }

    /// Sends batches of waiters until none are left.
    private func run() async {
        while true {
            // Yield once so that callers scheduled already join this batch: batches grow by a quarter.
            await Task.yield()
            guard let group = nextGroup() else { return }
            do {
                let findings = try await ask(group.flatMap(\.handles))
                for rider in group { rider.tell(.success(findings)) }
            } catch {
                for rider in group { rider.tell(.failure(error)) }
            }
        }
    }

    /// Takes the longest waiters; nil if there are none, which ends the run.
    private func nextGroup() -> [Rider]? {
        let now = ContinuousClock.now
        let (group, late) = state.withLockedValue { state -> ([Rider]?, [Rider]) in
            var group: [Rider] = []
            var late: [Rider] = []
            var names = 0
            var taken = 0
            for rider in state.waiting {
                guard group.isEmpty || names + rider.handles.count <= limits.namesInQuery else { break }
                taken += 1
                state.figures.waitingNames -= rider.handles.count
                if rider.hasLeft { continue }
                if rider.deadline <= now {
                    late.append(rider)
                    continue
                }
                group.append(rider)
                names += rider.handles.count
            }
            state.waiting.removeFirst(taken)
            guard !group.isEmpty else {
                state.running -= 1
                return (nil, late)
            }
            state.figures.queries += 1
            state.figures.names += names
            state.figures.callers += group.count
            return (group, late)
        }
        for rider in late {
            rider.tell(.failure(PostgresError(.timedOut, "a look-up waited too long for the database")))
        }
        return group
    }

    private func ask(_ handles: [Handle]) async throws -> Findings {
        if handles.count == 1 {
            let found = try await reads.run(
                LookupStanding(handle: handles[0]), LookupLookalike(key: LookalikeKey(handles[0])))
            return Findings(found.first, found.second, asOf: found.asOf)
        }
        // Sorted: the server looks up consecutive keys faster.
        let handles = handles.sorted()
        let keys = handles.map { LookalikeKey($0) }.sorted()
        switch lookalikes {
        case .protected:
            let found = try await reads.run(LookupStandings(handles: handles), LookupProtectors(keys: keys))
            return Findings(found.first, found.second, asOf: found.asOf)
        case .strict:
            let found = try await reads.run(LookupStandings(handles: handles), LookupLookalikes(keys: keys))
            return Findings(found.first, found.second, asOf: found.asOf)
        }
    }
}

/// Counters of the batched look-ups.
package struct LookupFigures: Sendable {
    package internal(set) var queries = 0
    /// Handles in these queries, and callers that they answered.
    package internal(set) var names = 0
    package internal(set) var callers = 0
    /// Callers refused because too many handles wait.
    package internal(set) var refused = 0
    /// Handles that wait now.
    package internal(set) var waitingNames = 0
}
