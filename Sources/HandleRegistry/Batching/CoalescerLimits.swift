/// The limits of a ``Coalescer``. A request has a weight, such as its number of names.
struct CoalescerLimits: Sendable {
    /// Batches under way at most.
    var batches: Int
    /// Largest weight of a batch. A heavier request is a batch of its own.
    var batchWeight: Int
    /// Weight that must wait before another batch joins those under way. Less is better batched when a batch ends.
    var weightForAnotherBatch = 1
    /// Time after which a waiter gets a batch beside those under way although less waits: one of them may hang. Nil to
    /// wait for its end.
    var patience: Duration?
    /// Largest weight that may wait. A request may always wait if no other does.
    var waitingWeight: Int
    /// Requests under way at most that are performed alone.
    var alone = 0
}

/// Counters of a ``Coalescer``.
package struct CoalescerMetrics: Sendable, Equatable {
    /// Batches begun so far, with the callers of their requests and their weight.
    package internal(set) var batches = 0
    package internal(set) var callers = 0
    package internal(set) var weight = 0
    /// Callers refused so far because too much waits.
    package internal(set) var refused = 0
    /// Requests that wait now, and their weight.
    package internal(set) var waiting = 0
    package internal(set) var waitingWeight = 0
}
