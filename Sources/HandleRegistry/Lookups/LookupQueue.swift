import HandleCore
import NIOConcurrencyHelpers
import Postgres

/// Lets look-ups that arrive while the database is busy ride together in one query.
///
/// A query about fifty names costs the server and the way there hardly more than one about a single name. So with few
/// callers each is asked for at once, and while ``Limits/running`` queries are under way whoever comes waits for the
/// next, a fraction of a millisecond. What a caller learns was read after the call began.
final class LookupQueue: Sendable {
    /// How much is done at a time.
    struct Limits: Sendable {
        /// Queries under way at most: so many keep the server's cores busy.
        var running = 3
        /// Names that must wait before there is a query besides the first one. While fewer do, they had better go
        /// together when the first comes back.
        var namesForAnotherQuery = 128
        /// Names in one query. More would let the first wait for the last for longer than a person notices.
        var namesInQuery = 1024
        /// Names that may wait: what the database answers in about a quarter of a second. More would only wait in vain.
        var waitingNames = 100_000
    }

    private typealias Continuation = CheckedContinuation<Findings, any Error>

    /// Where a caller is.
    private enum Seat {
        case empty, taken(Continuation), left
    }

    private struct Rider: Sendable {
        let handles: [Handle]
        let seat: NIOLockedValueBox<Seat>
        let deadline: ContinuousClock.Instant

        /// Tells the caller, who may have left.
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

    /// What the database knows of some names.
    /// - Throws: ``PostgresError``, `.overloaded` when too many names wait already; `CancellationError` at once.
    func findings(about handles: [Handle]) async throws -> Findings {
        guard !handles.isEmpty else { return .nothing }
        let rider = Rider(
            handles: handles, seat: NIOLockedValueBox(.empty),
            deadline: .now + timeout)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let hasLeft = rider.seat.withLockedValue { seat -> Bool in
                    // Cancelled before there was anything to end.
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
            // One caller may always wait, however many names it has.
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
        // A task of its own: a caller who leaves does not take the others along.
        case .start: Task { await run() }
        case .wait: break
        case .refuse: rider.tell(.failure(PostgresError(.overloaded, "too many look-ups are waiting")))
        }
    }

    /// Asks for groups of those who wait until nobody does.
    private func run() async {
        while true {
            // Whoever is about to ask comes along: it makes groups a quarter larger.
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

    /// Those who have waited longest; nil when nobody waits, which ends the run.
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
        // In order, which the server's look-ups one after the other are quicker with.
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

/// What the shared look-ups have done so far.
package struct LookupFigures: Sendable {
    /// Queries sent to the database.
    package internal(set) var queries = 0
    /// Names they were about, and callers who had asked.
    package internal(set) var names = 0
    package internal(set) var callers = 0
    /// Callers who were turned away because too many names wait.
    package internal(set) var refused = 0
    /// Names that wait now.
    package internal(set) var waitingNames = 0
}
