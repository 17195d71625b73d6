public import NIOConcurrencyHelpers
public import Synchronization

/// Batches concurrent requests: those that arrive while others are under way are performed together.
///
/// A request begins at once if none is under way. The number of waiters is limited. A caller leaves at its deadline, and
/// at once when it is cancelled; a batch that has begun goes on without it.
@usableFromInline
package final class Coalescer<Request: Sendable, Key: Hashable & Sendable, Response: Sendable, Time: Clock>: Sendable
where Time.Duration == Duration {
    /// The answer to a request of a batch.
    @usableFromInline
    package enum Answer: Sendable {
        case response(Response)
        case failure(any Error)
        /// The request can't be answered together with others: perform it alone. Not for one that is alone already,
        /// and not without ``CoalescerLimits/alone``.
        case alone
    }

    /// Requests that are performed together.
    @usableFromInline
    package struct Batch: Sendable {
        @usableFromInline package let requests: [Request]
        /// The latest deadline of the requests. The callers with earlier ones leave at theirs.
        @usableFromInline package let deadline: Time.Instant
        /// True for one request that could not be performed in a batch.
        @usableFromInline package let isAlone: Bool

        @inlinable
        init(requests: [Request], deadline: Time.Instant, isAlone: Bool) {
            (self.requests, self.deadline, self.isAlone) = (requests, deadline, isAlone)
        }
    }

    /// Performs a batch. The answers are in the order of the requests.
    @usableFromInline
    package typealias Work = @Sendable (Batch) async -> [Answer]

    @usableFromInline
    typealias Caller = CheckedContinuation<Response, any Error>
    @usableFromInline
    typealias State = CoalescerState<Request, Key, Caller, Time.Instant>

    @usableFromInline
    struct Guarded: Sendable {
        @usableFromInline var state: State
        /// The moment at which a task looks for late and impatient callers; nil if there is no such task.
        @usableFromInline var nextCheck: Time.Instant?

        @inlinable
        init(state: State) { self.state = state }
    }

    @usableFromInline let clock: Time
    @usableFromInline let patience: Duration?
    @usableFromInline let gathers: Bool
    @usableFromInline let weight: @Sendable (Request) -> Int
    @usableFromInline let keys: @Sendable (Request) -> [Key]
    @usableFromInline let work: Work
    @usableFromInline let guarded: NIOLockedValueBox<Guarded>
    @usableFromInline let lastID = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - gathers: true to yield once before each batch of several, so that callers that are scheduled already join it.
    ///   - weight: the weight of a request; see ``CoalescerLimits``.
    ///   - keys: requests with a common key are never under way at the same time.
    @inlinable
    package init(
        limits: CoalescerLimits, clock: Time, gathers: Bool = false,
        weight: @escaping @Sendable (Request) -> Int = { _ in 1 },
        keys: @escaping @Sendable (Request) -> [Key] = { _ in [] }, work: @escaping Work
    ) {
        (self.clock, self.gathers, self.weight, self.keys, self.work) = (clock, gathers, weight, keys, work)
        patience = limits.patience
        guarded = NIOLockedValueBox(Guarded(state: State(limits)))
    }

    @inlinable
    package var metrics: CoalescerMetrics { guarded.withLockedValue(\.state.metrics) }

    /// Performs a request, together with others where possible.
    /// - Parameter callers: the number of callers that the request is for, which the metrics count.
    /// - Throws: ``CoalescingError`` if the request was refused, or was not answered before its deadline;
    ///   `CancellationError` at once if the caller is cancelled; errors of the work.
    @inlinable
    package func perform(
        _ request: Request, for callers: Int = 1, until deadline: Time.Instant
    ) async throws -> Response {
        let id = lastID.add(1, ordering: .relaxed).newValue
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { caller in
                let patientUntil = patience.map { min(deadline, clock.now.advanced(by: $0)) } ?? deadline
                let waiting = State.Waiting(
                    id: id, request: request, weight: weight(request), callers: callers, keys: keys(request),
                    deadline: deadline, patientUntil: patientUntil, caller: caller)
                let added = guarded.withLockedValue { guarded in
                    guarded.state.add(waiting).map { (moment: $0, slots: openSlots(&guarded.state)) }
                }
                guard let added else {
                    caller.resume(throwing: CoalescingError(code: .overloaded))
                    return
                }
                // The caller may have been cancelled before the request was added.
                if Task.isCancelled { cancel(id) }
                check(at: added.moment)
                run(added.slots)
            }
        } onCancel: {
            cancel(id)
        }
    }

    @inlinable
    func cancel(_ id: UInt64) {
        guarded.withLockedValue { $0.state.remove(id) }?.resume(throwing: CancellationError())
    }

    // MARK: Batches

    /// A slot with its first batch; nil for a batch that is taken later, because the slot gathers.
    @usableFromInline
    typealias Opened = (slot: State.Slot, batch: State.Batch?)

    @inlinable
    func openSlots(_ state: inout State) -> [Opened] {
        var opened: [Opened] = []
        let now = clock.now
        while let slot = state.openSlot(at: now) {
            let batch = gathers && !slot.isAlone ? nil : state.next(slot)
            opened.append((slot, batch))
            // The requests of a batch that is taken later still wait.
            if batch == nil { break }
        }
        return opened
    }

    @inlinable
    func run(_ opened: [Opened]) {
        // Tasks of their own: cancelling one caller does not cancel the others.
        for (slot, batch) in opened { Task { await run(slot, first: batch) } }
    }

    /// Performs batches until none is left for the slot.
    @inlinable
    func run(_ slot: State.Slot, first: State.Batch?) async {
        var first = first
        while true {
            if gathers, !slot.isAlone { await Task.yield() }
            guard let batch = first ?? guarded.withLockedValue({ $0.state.next(slot) }) else { return }
            first = nil
            let answers = await work(
                Batch(requests: batch.requests, deadline: batch.deadline ?? clock.now, isAlone: batch.isAlone))
            end(batch, answers)
        }
    }

    @inlinable
    func end(_ batch: State.Batch, _ answers: [Answer]) {
        precondition(answers.count == batch.count, "each request needs an answer")
        // Some wait again, and requests that waited for the keys of the batch may begin.
        let (callers, opened) = guarded.withLockedValue { guarded in
            (
                guarded.state.end(batch) { index in if case .alone = answers[index] { false } else { true } },
                openSlots(&guarded.state)
            )
        }
        for (caller, answer) in zip(callers, answers) {
            switch answer {
            case .response(let response): caller?.resume(returning: response)
            case .failure(let error): caller?.resume(throwing: error)
            case .alone: break
            }
        }
        // Last, so that the next requests of these callers join the batches.
        run(opened)
    }

    // MARK: Deadlines and patience

    /// Has a task look for late and impatient callers at `moment`, unless one does so earlier.
    @inlinable
    func check(at moment: Time.Instant) {
        let isNeeded = guarded.withLockedValue { guarded in
            if let next = guarded.nextCheck, next <= moment { return false }
            guarded.nextCheck = moment
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
    @inlinable
    func checkNow(as moment: Time.Instant) -> Time.Instant? {
        let now = clock.now
        let (late, opened, next) = guarded.withLockedValue { guarded -> ([Caller], [Opened], Time.Instant?) in
            guard guarded.nextCheck == moment else { return ([], [], nil) }
            let late = guarded.state.removeLate(at: now)
            guarded.nextCheck = guarded.state.nextCheck(after: now)
            return (late, openSlots(&guarded.state), guarded.nextCheck)
        }
        run(opened)
        for caller in late { caller.resume(throwing: CoalescingError(code: .timedOut)) }
        return next
    }
}
