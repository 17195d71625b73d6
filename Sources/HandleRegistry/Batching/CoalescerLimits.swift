/// The limits of a ``Coalescer``. A request has a weight, such as its number of names.
@usableFromInline
package struct CoalescerLimits: Sendable {
    /// Batches under way at most.
    @usableFromInline package var batches: Int
    /// Largest weight of a batch. A heavier request is a batch of its own.
    @usableFromInline package var batchWeight: Int
    /// Weight that must wait before another batch joins those under way. Less is better batched when a batch ends.
    @usableFromInline package var weightForAnotherBatch = 1
    /// Time after which a waiter gets a batch beside those under way although less waits: one of them may hang. Nil to
    /// wait for its end.
    @usableFromInline package var patience: Duration?
    /// Largest weight that may wait. A request may always wait if no other does.
    @usableFromInline package var waitingWeight: Int
    /// Requests under way at most that are performed alone.
    @usableFromInline package var alone = 0

    @inlinable
    package init(batches: Int, batchWeight: Int, waitingWeight: Int) {
        (self.batches, self.batchWeight, self.waitingWeight) = (batches, batchWeight, waitingWeight)
    }
}

/// Counters of a ``Coalescer``.
@usableFromInline
package struct CoalescerMetrics: Sendable, Equatable {
    @usableFromInline init() {}

    /// Batches begun so far, with the callers of their requests and their weight.
    @usableFromInline package internal(set) var batches = 0
    @usableFromInline package internal(set) var callers = 0
    @usableFromInline package internal(set) var weight = 0
    /// Callers refused so far because too much waits.
    @usableFromInline package internal(set) var refused = 0
    /// Requests that wait now, and their weight.
    @usableFromInline package internal(set) var waiting = 0
    @usableFromInline package internal(set) var waitingWeight = 0
}
