import NIOConcurrencyHelpers
import Postgres
import Synchronization

/// Batches concurrent requests: those that arrive while others are under way are performed together.
///
/// A request begins at once if none is under way. The number of waiters is limited. A caller leaves at its deadline, and
/// at once when it is cancelled; a batch that has begun goes on without it.
///
/// Requests with a common `Key` are never under way at the same time.
final class Coalescer<Request: Sendable, Key: Hashable & Sendable, Response: Sendable, Time: Clock>: Sendable
where Time.Duration == Duration {
    /// The answer to a request of a batch.
    enum Answer: Sendable {
        case response(Response)
        case failure(any Error)
        /// The request can't be answered together with others: perform it alone. Not for one that is alone already,
        /// and not without ``CoalescerLimits/alone``.
        case alone
    }

    typealias Caller = CheckedContinuation<Response, any Error>

    private let name: String
    private let clock: Time
    private let patience: Duration?
    private let weight: @Sendable (Request) -> Int
    private let keys: @Sendable (Request) -> [Key]
    private let work: @Sendable (Batch) async -> [Answer]
    private let state: NIOLockedValueBox<State>
    private let lastID = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - name: the requests in words, such as `claims`.
    ///   - weight: the weight of a request; see ``CoalescerLimits``.
    ///   - work: performs a batch. The answers are in the order of the requests.
    init(
        of name: String, _ limits: CoalescerLimits, clock: Time,
        weight: @escaping @Sendable (Request) -> Int = { _ in 1 },
        keys: @escaping @Sendable (Request) -> [Key] = { _ in [] }, work: @escaping @Sendable (Batch) async -> [Answer]
    ) {
        (self.name, self.clock, self.weight, self.keys, self.work) = (name, clock, weight, keys, work)
        patience = limits.patience
        state = NIOLockedValueBox(State(limits: limits))
    }

    var metrics: CoalescerMetrics { state.withLockedValue(\.metrics) }

    /// Performs a request, together with others where possible.
    /// - Parameter callers: the number of callers that the request is for, which the metrics count.
    /// - Throws: `PostgresError` `.overloaded` if too much waits, `.timedOut` at the deadline; if the request has begun, it
    ///   goes on then. `CancellationError` at once if the caller is cancelled; errors of the work.
    func perform(_ request: Request, for callers: Int = 1, until deadline: Time.Instant) async throws -> Response {
        let id = lastID.add(1, ordering: .relaxed).newValue
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { caller in
                let now = clock.now
                let waiting = Waiting(
                    id: id, request: request, weight: weight(request), callers: callers, keys: keys(request),
                    deadline: deadline, patientUntil: patience.map { min(deadline, now.advanced(by: $0)) } ?? deadline,
                    caller: caller)
                let added = state.withLockedValue { state in
                    state.add(waiting).map { (moment: $0, work: state.begin(at: now)) }
                }
                guard let added else {
                    return caller.resume(throwing: PostgresError(.overloaded, "too many \(name) are waiting"))
                }
                // The caller may have been cancelled before the request was added.
                if Task.isCancelled { cancel(id) }
                check(at: added.moment)
                run(added.work)
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func cancel(_ id: UInt64) {
        state.withLockedValue { $0.remove(id) }?.resume(throwing: CancellationError())
    }

    // MARK: Batches

    private func run(_ work: Work) {
        // Tasks of their own: cancelling one caller does not cancel the others.
        for batch in work.alone { Task { await perform(batch) } }
        if work.hasBatches { Task { await performBatches() } }
    }

    /// Performs batches until there is none left.
    private func performBatches() async {
        while true {
            // Callers that are scheduled already join the batch: it is a quarter larger.
            await Task.yield()
            guard let batch = state.withLockedValue({ $0.nextBatch() }) else { return }
            await perform(batch)
        }
    }

    private func perform(_ batch: Batch) async {
        let answers = await work(batch)
        precondition(answers.count == batch.members.count, "each request needs an answer")
        // Some wait again, and requests that waited for the keys of the batch may begin.
        let (callers, work) = state.withLockedValue { ($0.end(batch, answers), $0.begin(at: clock.now)) }
        for (caller, answer) in zip(callers, answers) {
            switch answer {
            case .response(let response): caller?.resume(returning: response)
            case .failure(let error): caller?.resume(throwing: error)
            case .alone: break
            }
        }
        // Last, so that the next requests of these callers join the batches.
        run(work)
    }

    // MARK: Deadlines and patience

    /// Has a task look for late and impatient callers at `moment`, unless one does so earlier.
    private func check(at moment: Time.Instant) {
        let isNeeded = state.withLockedValue { state in
            if let next = state.nextCheck, next <= moment { return false }
            state.nextCheck = moment
            return true
        }
        guard isNeeded else { return }
        Task { [clock, weak self] in
            var next: Time.Instant? = moment
            while let moment = next {
                try? await clock.sleep(until: moment, tolerance: nil)
                next = self?.checkNow(as: moment)
            }
        }
    }

    /// - Returns: the moment of the next check; nil if none is needed, or another task makes it.
    private func checkNow(as moment: Time.Instant) -> Time.Instant? {
        let now = clock.now
        let (late, work, next) = state.withLockedValue { state -> ([Caller], Work, Time.Instant?) in
            guard state.nextCheck == moment else { return ([], Work(), nil) }
            let late = state.removeLate(at: now)
            state.nextCheck = state.nextMoment(after: now)
            return (late, state.begin(at: now), state.nextCheck)
        }
        run(work)
        for caller in late {
            caller.resume(
                throwing: PostgresError(.timedOut, "there was no answer in time: too many \(name), or one hangs"))
        }
        return next
    }
}
