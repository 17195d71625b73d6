import HandleRules
import NIOConcurrencyHelpers
import Postgres

/// Hints which handles are in use, from a ``BloomFilter`` in memory. They choose what is looked up together, and no
/// more: every answer comes from the database.
///
/// A handle with the hint that it is in use is looked up together with candidates for its suggestions. A wrong hint
/// costs a second look-up, or a look-up of candidates that are not needed.
package final class NameHints: Sendable {
    /// Counters of checks for which there were hints.
    package struct Metrics: Sendable, Equatable {
        /// The memory of the filter in bytes; 0 without hints.
        package fileprivate(set) var bytes = 0
        /// Handles in use, with the hint that they are.
        package fileprivate(set) var foundInUse = 0
        /// Handles in use without that hint.
        package fileprivate(set) var missed = 0
        /// Free handles without the hint.
        package fileprivate(set) var foundFree = 0
        /// Free handles with the wrong hint that they are in use.
        package fileprivate(set) var mistaken = 0
    }

    private struct State {
        /// The most bytes of the filter; 0 for no hints.
        let limit: Int
        /// Nil before the first fill, and when it is worn.
        var filter: BloomFilter?
        /// The filter that is being filled.
        var next: BloomFilter?
        var filledAt: ContinuousClock.Instant?
        var metrics = Metrics()

        mutating func insert(_ handle: Handle) {
            filter?.insert(handle)
            next?.insert(handle)
            // It would call too many names taken.
            guard let filter, filter.isWorn else { return }
            if filter.canGrow(to: limit) { filledAt = nil }
            self.filter = nil
        }
    }

    private let limit: Int
    private let state: NIOLockedValueBox<State>

    /// After this time the filter is filled anew, without the handles that were freed meanwhile.
    private static let life = Duration.seconds(24 * 3600)
    /// Room in a filter of a small registry.
    private static let leastCapacity = 1 << 16
    /// Handles in one query, which answers in some milliseconds.
    private static let readAtOnce = 5000
    /// Handles inserted with one lock: callers wait for a few microseconds at most.
    private static let insertedAtOnce = 256

    /// - Parameter limit: the most bytes of the filter; 0 for no hints. While it is filled anew, there are two filters.
    init(limit: Int) {
        self.limit = limit
        state = NIOLockedValueBox(State(limit: limit))
    }

    package var metrics: Metrics {
        state.withLockedValue { state in
            var metrics = state.metrics
            metrics.bytes = state.filter?.bytes ?? 0
            return metrics
        }
    }

    /// True if there are hints.
    var areReady: Bool { state.withLockedValue { $0.filter != nil } }

    /// The hint about a handle; false without hints.
    func mayBeInUse(_ handle: Handle) -> Bool { state.withLockedValue { $0.filter?.mayContain(handle) ?? false } }

    /// Notes the database's answer about a handle.
    /// - Parameter hint: the hint that there was about it.
    func note(_ handle: Handle, isInUse: Bool, hint: Bool) {
        state.withLockedValue { state in
            if isInUse, !hint { state.insert(handle) }
            guard state.filter != nil else { return }
            switch (isInUse, hint) {
            case (true, true): state.metrics.foundInUse += 1
            case (true, false): state.metrics.missed += 1
            case (false, false): state.metrics.foundFree += 1
            case (false, true): state.metrics.mistaken += 1
            }
        }
    }

    /// Notes that handles are in use.
    func insert(_ handles: some Sequence<Handle>) {
        guard limit > 0 else { return }
        state.withLockedValue { state in for handle in handles { state.insert(handle) } }
    }

    /// Fills a new filter with the handles of the database, if there is none yet, or if the last one is full or old.
    /// - Throws: `PostgresError`. The last filter stays.
    func fill(from pool: Pool, at now: ContinuousClock.Instant = .now) async throws {
        guard limit > 0, isDue(at: now) else { return }
        defer { replaceNext(nil) }
        let estimate = try await pool.run(EstimateOfNames()).first ?? 0
        var capacity = max(estimate + estimate / 2, Self.leastCapacity)
        // The estimate may be much too low.
        while try await !fill(capacity, from: pool) { capacity *= 4 }
        // Memory is freed after the lock.
        var last: BloomFilter?
        state.withLockedValue { state in
            swap(&state.filter, &last)
            if state.next?.isWorn == false { swap(&state.filter, &state.next) }
            state.filledAt = now
        }
    }

    private func isDue(at now: ContinuousClock.Instant) -> Bool {
        state.withLockedValue { state in
            guard let filledAt = state.filledAt, now - filledAt < Self.life else { return true }
            return state.filter.map { $0.isFull && $0.canGrow(to: limit) } ?? false
        }
    }

    /// Replaces the filter that is being filled. It is made before the lock, and the last one is freed after it.
    private func replaceNext(_ filter: consuming BloomFilter?) {
        var filter = filter
        state.withLockedValue { swap(&$0.next, &filter) }
    }

    /// Fills a filter until it has all handles or is worn.
    /// - Returns: false if the filter is full, and may be larger.
    private func fill(_ capacity: Int, from pool: Pool) async throws -> Bool {
        replaceNext(BloomFilter(capacity: capacity, atMost: limit))
        var isWhole = true
        try await pool.readNamesInUse(Self.readAtOnce) { names in
            for start in stride(from: 0, to: names.count, by: Self.insertedAtOnce) {
                let part = names[start..<min(start + Self.insertedAtOnce, names.count)]
                state.withLockedValue { state in for name in part { state.next?.insert(name.handle) } }
            }
            return state.withLockedValue { state in
                guard let next = state.next else { return false }
                if next.isFull, next.canGrow(to: limit) { isWhole = false }
                return isWhole && !next.isWorn
            }
        }
        return isWhole
    }
}

extension Registry {
    /// Fills the hints, if they are due; to be called every few seconds.
    package func fillHints() async throws { try await hints.fill(from: background) }
}
