import NIOConcurrencyHelpers
import Synchronization

/// Batches concurrent requests: those that arrive while others are under way are performed together.
///
/// With few requests, each begins at once. The number of waiters is limited, each waits only until its deadline, and a
/// cancelled caller leaves at once. A batch that has begun goes on without callers that have left.
package final class Coalescer<Request: Sendable, Key: Hashable & Sendable, Response: Sendable, Time: Clock>: Sendable
where Time.Duration == Duration {
    /// The answer to a request of a batch.
    package enum Answer: Sendable {
        case response(Response)
        case failure(any Error)
        /// The request can't be answered together with others: perform it alone. Not for one that is alone already.
        case alone
    }

    /// Requests that are performed together.
    package struct Batch: Sendable {
        package let requests: [Request]
        /// The earliest deadline of the requests.
        package let deadline: Time.Instant
        /// True for one request that could not be performed in a batch.
        package let isAlone: Bool
    }

    /// Performs a batch. The answers are in the order of the requests.
    package typealias Work = @Sendable (Batch) async -> [Answer]

    private typealias Caller = CheckedContinuation<Response, any Error>
    private typealias State = CoalescerState<Request, Key, Caller, Time.Instant>

    private struct Guarded: Sendable {
        var state: State
        /// The moment at which a task removes late waiters; nil if there is no such task.
        var nextCheck: Time.Instant?
    }

    private let clock: Time
    private let gathers: Bool
    private let weight: @Sendable (Request) -> Int
    private let keys: @Sendable (Request) -> [Key]
    private let work: Work
    private let guarded: NIOLockedValueBox<Guarded>
    private let lastID = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - gathers: true to yield once before each batch, so that callers that are scheduled already join it.
    ///   - weight: the weight of a request; see ``CoalescerLimits``.
    ///   - keys: requests with a common key are never under way at the same time.
    package init(
        limits: CoalescerLimits, clock: Time, gathers: Bool = false,
        weight: @escaping @Sendable (Request) -> Int = { _ in 1 },
        keys: @escaping @Sendable (Request) -> [Key] = { _ in [] }, work: @escaping Work
    ) {
        (self.clock, self.gathers, self.weight, self.keys, self.work) = (clock, gathers, weight, keys, work)
        guarded = NIOLockedValueBox(Guarded(state: State(limits)))
    }

    package var metrics: CoalescerMetrics { guarded.withLockedValue(\.state.metrics) }

    /// Performs a request, together with others where possible.
    /// - Throws: ``CoalescingError`` if the request was not performed; `CancellationError` at once if the caller is
    ///   cancelled; errors of the work.
    package func perform(_ request: Request, until deadline: Time.Instant) async throws -> Response {
        let id = lastID.add(1, ordering: .relaxed).newValue
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { caller in
                let waiting = State.Waiting(
                    id: id, request: request, weight: weight(request), keys: keys(request), deadline: deadline,
                    caller: caller)
                guard guarded.withLockedValue({ $0.state.add(waiting) }) else {
                    caller.resume(throwing: CoalescingError(code: .overloaded))
                    return
                }
                // The caller may have been cancelled before the request was added.
                if Task.isCancelled { cancel(id) }
                checkLate(at: deadline)
                openSlots()
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func cancel(_ id: UInt64) {
        guarded.withLockedValue { $0.state.remove(id) }?.resume(throwing: CancellationError())
    }

    // MARK: Batches

    private func openSlots() {
        while let (slot, batch) = guarded.withLockedValue({ openSlot(&$0.state) }) {
            // A task of its own: cancelling one caller does not cancel the others.
            Task { await run(slot, first: batch) }
            // The batch of a slot that gathers has not taken its requests yet.
            if gathers { return }
        }
    }

    private func openSlot(_ state: inout State) -> (State.Slot, State.Batch?)? {
        guard let slot = state.openSlot() else { return nil }
        return (slot, gathers ? nil : state.next(slot))
    }

    /// Performs batches until none is left for the slot.
    private func run(_ slot: State.Slot, first: State.Batch?) async {
        var first = first
        while true {
            if gathers { await Task.yield() }
            guard let batch = first ?? guarded.withLockedValue({ $0.state.next(slot) }) else { return }
            first = nil
            let answers = await work(
                Batch(requests: batch.requests, deadline: batch.deadline ?? clock.now, isAlone: batch.isAlone))
            end(batch, answers)
        }
    }

    private func end(_ batch: State.Batch, _ answers: [Answer]) {
        precondition(answers.count == batch.count, "each request needs an answer")
        let (callers, deadline) = guarded.withLockedValue { guarded in
            (
                guarded.state.end(batch) { index in if case .alone = answers[index] { false } else { true } },
                guarded.state.nextDeadline
            )
        }
        for (caller, answer) in zip(callers, answers) {
            switch answer {
            case .response(let response): caller?.resume(returning: response)
            case .failure(let error): caller?.resume(throwing: error)
            case .alone: break
            }
        }
        // Some may wait again, and requests that waited for the keys of the batch may begin.
        guard let deadline else { return }
        checkLate(at: deadline)
        openSlots()
    }

    // MARK: Deadlines

    /// Has a task remove late waiters at `deadline`, unless one does so earlier.
    private func checkLate(at deadline: Time.Instant) {
        let isNeeded = guarded.withLockedValue { guarded in
            if let next = guarded.nextCheck, next <= deadline { return false }
            guarded.nextCheck = deadline
            return true
        }
        guard isNeeded else { return }
        Task { [clock, weak self] in
            var next: Time.Instant? = deadline
            while let moment = next {
                try? await clock.sleep(until: moment, tolerance: nil)
                next = self?.removeLate(at: moment)
            }
        }
    }

    /// - Returns: the moment of the next check; nil if none is needed, or another task makes it.
    private func removeLate(at moment: Time.Instant) -> Time.Instant? {
        let (late, next) = guarded.withLockedValue { guarded -> ([Caller], Time.Instant?) in
            guard guarded.nextCheck == moment else { return ([], nil) }
            let late = guarded.state.removeLate(at: clock.now)
            guarded.nextCheck = guarded.state.nextDeadline
            return (late, guarded.nextCheck)
        }
        for caller in late { caller.resume(throwing: CoalescingError(code: .timedOut)) }
        return next
    }
}
