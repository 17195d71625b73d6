import HandleRules
import HandleWords
import Postgres

/// Batches concurrent look-ups into one query.
///
/// A query for fifty handles costs the server and the network hardly more than a query for one. A look-up is sent at
/// once if no query is under way. Otherwise it waits a fraction of a millisecond: until a query returns, or until
/// enough handles wait for another query. A caller gets a state that was read after its call began.
struct LookupQueue: Sendable {
    private typealias Queue = Coalescer<[Handle], Never, LookupResult, ContinuousClock>

    private let queue: Queue
    private let timeout: Duration
    /// The most handles of a query.
    static let batchWeight = 64

    /// A query reads one page after the other, and its callers wait for the slowest. So queries are small, and enough of
    /// them run at a time to keep a disk busy. The database answers the waiting handles in about a quarter of a second;
    /// more would only time out.
    /// - Parameter connections: size of the pool. At least half of a large one is left for other statements.
    static func limits(connections: Int) -> CoalescerLimits {
        var limits = CoalescerLimits(
            batches: min(max(3, connections / 2), 8), batchWeight: batchWeight, waitingWeight: 100_000)
        limits.weightForAnotherBatch = 40
        limits.patience = .milliseconds(50)
        return limits
    }

    init(_ reads: ReadSide, limits: CoalescerLimits? = nil) {
        let limits = limits ?? Self.limits(connections: reads.primary.configuration.size)
        timeout = reads.primary.configuration.timeout
        queue = Queue(of: "look-ups", limits, clock: ContinuousClock(), weight: \.count) { batch in
            do {
                let result = try await Self.ask(batch.requests.flatMap(\.self), reads)
                return batch.requests.map { _ in .response(result) }
            } catch {
                return batch.requests.map { _ in .failure(error) }
            }
        }
    }

    /// The counters; a weight is a number of handles.
    var metrics: CoalescerMetrics { queue.metrics }

    /// The state of some handles in the database.
    /// - Parameter callers: the number of callers that ask for them, which the metrics count.
    /// - Throws: ``PostgresError``, `.overloaded` if too many handles wait already; `CancellationError` at once.
    func lookUp(_ handles: [Handle], for callers: Int = 1) async throws -> LookupResult {
        guard !handles.isEmpty else { return .empty }
        return try await queue.perform(handles, for: callers, until: .now + timeout)
    }

    private static func ask(_ handles: [Handle], _ reads: ReadSide) async throws -> LookupResult {
        // Sorted: the server looks up consecutive keys faster.
        let found = try await reads.run(LookupNames(keys: handles.map { LookalikeKey($0) }.sorted()))
        return LookupResult(found.rows, asOf: found.asOf)
    }
}
