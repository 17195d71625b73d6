/// The limits of a ``Coalescer``. A request has a weight, such as its number of names.
package struct CoalescerLimits: Sendable {
    /// Batches under way at most.
    package var batches: Int
    /// Largest weight of a batch. A heavier request is a batch of its own.
    package var batchWeight: Int
    /// Weight that must wait before another batch joins those under way. Less is better batched when a batch ends.
    package var weightForAnotherBatch = 1
    /// Time after which a waiter gets a batch beside those under way although less waits: one of them may hang. Nil to
    /// wait for its end.
    package var patience: Duration?
    /// Largest weight that may wait. A request may always wait if no other does.
    package var waitingWeight: Int
    /// Requests under way at most that are performed alone.
    package var alone = 0

    package init(batches: Int, batchWeight: Int, waitingWeight: Int) {
        (self.batches, self.batchWeight, self.waitingWeight) = (batches, batchWeight, waitingWeight)
    }
}

/// Counters of a ``Coalescer``.
package struct CoalescerMetrics: Sendable, Equatable {
    /// Batches begun so far, with the requests in them and their weight.
    package internal(set) var batches = 0
    package internal(set) var requests = 0
    package internal(set) var weight = 0
    /// Requests refused so far because too much waits.
    package internal(set) var refused = 0
    /// Requests that wait now, and their weight.
    package internal(set) var waiting = 0
    package internal(set) var waitingWeight = 0
}
