import HandleRules
import HandleWords
import Postgres

/// Batches claims that arrive while others are being committed into one transaction.
///
/// A commit waits for the disk, and a statement costs the server hardly more for ten handles than for one. A claim that
/// has to wait for a row lock continues alone, and the others pass it.
///
/// Claims for one look-alike key or of one owner would wait for each other in the database. They wait here instead,
/// where a waiter needs no connection.
struct ClaimQueue: Sendable {
    private enum Key: Hashable, Sendable { case owner(Owner), lookalike(LookalikeKey) }

    private typealias Queue = Coalescer<Claim, Key, ChangeOutcome, ContinuousClock>

    private let queue: Queue
    /// The time limit of a claim, which includes the wait.
    private let timeout: Duration

    init(_ writes: WriteSide) {
        timeout = writes.pool.configuration.timeout
        // More batches at a time would make them smaller; fewer would leave the disk idle. All claims of a batch fail
        // together if their connection breaks. More waiters would only time out; the service has at most
        // HANDLES_IN_FLIGHT of them.
        var limits = CoalescerLimits(batches: 3, batchWeight: 64, waitingWeight: 4096)
        // Batches of single claims would be slower. A claim that has waited ten times as long as a batch usually takes
        // gets one in any case.
        limits.weightForAnotherBatch = 4
        limits.patience = .milliseconds(50)
        // Half of the connections may wait for row locks; the others are for claims that don't have to wait.
        limits.alone = max(1, writes.pool.configuration.size / 2)
        queue = Queue(
            of: "claims", limits, clock: ContinuousClock(),
            keys: { claim in
                let owner = Key.owner(claim.owner)
                guard let handle = claim.reading.handle else { return [owner] }
                return [owner, .lookalike(LookalikeKey(handle))]
            }, work: { await Self.answers(to: $0, writes) })
    }

    /// Number of waiters.
    var waitingCount: Int { queue.metrics.waiting }

    func perform(_ claim: Claim) async throws -> ChangeOutcome {
        try await queue.perform(claim, until: .now + timeout)
    }

    private static func answers(to batch: Queue.Batch, _ writes: WriteSide) async -> [Queue.Answer] {
        do {
            return try await writes.write(batch.requests, waitingShortly: !batch.isAlone, until: batch.deadline)
                .map { .response($0) }
        } catch let error as PostgresError where error.isOfContention && !batch.isAlone {
            return batch.requests.map { _ in .alone }
        } catch {
            return batch.requests.map { _ in .failure(error) }
        }
    }
}
