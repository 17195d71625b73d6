/// The state of a ``Coalescer`` as a value, which knows nothing of tasks: the requests that wait and are under way.
///
/// - `Key`: requests with a common key are never under way at the same time.
/// - `Caller`: resumes the caller of a request.
@usableFromInline
struct CoalescerState<Request: Sendable, Key: Hashable & Sendable, Caller: Sendable, Moment: Comparable & Sendable>:
    Sendable
{
    /// A request with its caller. A class, because it moves between collections and its copies would be costly.
    @usableFromInline
    final class Waiting: Sendable {
        @usableFromInline let id: UInt64
        @usableFromInline let request: Request
        @usableFromInline let weight: Int
        /// The number of callers that the request is for.
        @usableFromInline let callers: Int
        @usableFromInline let keys: [Key]
        @usableFromInline let deadline: Moment
        /// The end of its patience; see ``CoalescerLimits/patience``.
        @usableFromInline let patientUntil: Moment
        @usableFromInline let caller: Caller
        /// True if it could not be performed in a batch.
        @usableFromInline let isAlone: Bool

        @inlinable
        init(
            id: UInt64, request: Request, weight: Int, callers: Int, keys: [Key], deadline: Moment,
            patientUntil: Moment, caller: Caller, isAlone: Bool = false
        ) {
            (self.id, self.request, self.weight, self.callers, self.keys) = (id, request, weight, callers, keys)
            (self.deadline, self.patientUntil) = (deadline, patientUntil)
            (self.caller, self.isAlone) = (caller, isAlone)
        }
    }

    /// Requests that are performed together.
    @usableFromInline
    struct Batch: Sendable {
        @usableFromInline let isAlone: Bool
        @usableFromInline let members: [Waiting]

        @inlinable
        init(isAlone: Bool, members: [Waiting]) { (self.isAlone, self.members) = (isAlone, members) }

        @inlinable var count: Int { members.count }
        @inlinable var requests: [Request] { members.map(\.request) }

        /// The latest deadline of the requests.
        @inlinable var deadline: Moment? { members.lazy.map(\.deadline).max() }
    }

    /// A permission to perform batches, one after the other.
    @usableFromInline
    struct Slot: Sendable {
        @usableFromInline let isAlone: Bool

        @inlinable
        init(isAlone: Bool) { self.isAlone = isAlone }
    }

    @usableFromInline let limits: CoalescerLimits
    @usableFromInline var metrics = CoalescerMetrics()
    /// Longest waiters first. A request that waits again, to be performed alone, is at the front.
    @usableFromInline var waiting: [Waiting] = []
    /// The requests under way, with the callers that have not left.
    @usableFromInline var underWay: [UInt64: Waiting] = [:]
    @usableFromInline var busyKeys: Set<Key> = []
    @usableFromInline var batches = 0
    @usableFromInline var alone = 0
    /// Requests that wait to be performed alone.
    @usableFromInline var aloneWaiting = 0

    @inlinable
    init(_ limits: CoalescerLimits) { self.limits = limits }

    /// The next moment at which a deadline passes or patience ends.
    @inlinable
    func nextCheck(after now: Moment) -> Moment? {
        let deadlines = [waiting.lazy.map(\.deadline).min(), underWay.values.lazy.map(\.deadline).min()]
        let patience = waiting.lazy.map(\.patientUntil).filter { $0 > now }.min()
        return (deadlines + [patience]).compactMap(\.self).min()
    }

    /// Adds a request.
    /// - Returns: the moment by which to look after it; nil if too much waits already.
    @inlinable
    mutating func add(_ request: Waiting) -> Moment? {
        guard waiting.isEmpty || metrics.waitingWeight + request.weight <= limits.waitingWeight else {
            metrics.refused += request.callers
            return nil
        }
        waiting.append(request)
        count(request, 1)
        let beginsAtOnce = batches == 0 && mayBegin(request)
        return beginsAtOnce ? request.deadline : request.patientUntil
    }

    /// Removes the request of a caller that leaves. A request under way goes on without its caller.
    /// - Returns: nil if the request has ended.
    @inlinable
    mutating func remove(_ id: UInt64) -> Caller? {
        if let index = waiting.firstIndex(where: { $0.id == id }) {
            let left = waiting.remove(at: index)
            count(left, -1)
            return left.caller
        }
        return underWay.removeValue(forKey: id)?.caller
    }

    /// Removes the callers that have reached their deadline. A request under way goes on without its caller.
    @inlinable
    mutating func removeLate(at now: Moment) -> [Caller] {
        let late = waiting.filter { $0.deadline <= now }
        if !late.isEmpty { waiting.removeAll { $0.deadline <= now } }
        for request in late { count(request, -1) }
        let lateUnderWay = underWay.values.filter { $0.deadline <= now }
        for request in lateUnderWay { underWay[request.id] = nil }
        return (late + lateUnderWay).map(\.caller)
    }

    /// A slot for which there is work; nil if there is none, or no slot.
    @inlinable
    mutating func openSlot(at now: Moment) -> Slot? {
        if alone < limits.alone, aloneWaiting > 0, waiting.contains(where: { $0.isAlone && mayBegin($0) }) {
            alone += 1
            return Slot(isAlone: true)
        }
        guard batches < limits.batches else { return nil }
        let isEnough = batches == 0 || metrics.waitingWeight >= limits.weightForAnotherBatch
        guard let oldest = waiting.first(where: { !$0.isAlone && mayBegin($0) }),
            isEnough || oldest.patientUntil <= now
        else { return nil }
        batches += 1
        return Slot(isAlone: false)
    }

    /// Begins the next batch of a slot: the longest waiters that may begin. Without one the slot is closed.
    @inlinable
    mutating func next(_ slot: Slot) -> Batch? {
        var members: [Waiting] = []
        var weight = 0
        var left: [Waiting] = []
        var end = 0
        for request in waiting {
            if request.isAlone == slot.isAlone, mayBegin(request) {
                guard members.isEmpty || (!slot.isAlone && weight + request.weight <= limits.batchWeight) else { break }
                members.append(request)
                weight += request.weight
                begin(request)
            } else {
                left.append(request)
            }
            end += 1
        }
        guard !members.isEmpty else {
            if slot.isAlone { alone -= 1 } else { batches -= 1 }
            return nil
        }
        waiting.replaceSubrange(..<end, with: left)
        metrics.batches += 1
        return Batch(isAlone: slot.isAlone, members: members)
    }

    /// Ends a batch.
    /// - Parameter isAnswered: false for each request that is to be performed alone.
    /// - Returns: the callers of the answered requests; nil for one that has left, and for one that waits again.
    @inlinable
    mutating func end(_ batch: Batch, isAnswered: (Int) -> Bool) -> [Caller?] {
        var again: [Waiting] = []
        let callers = batch.members.enumerated().map { index, request -> Caller? in
            for key in request.keys { busyKeys.remove(key) }
            guard underWay.removeValue(forKey: request.id) != nil else { return nil }
            if isAnswered(index) { return request.caller }
            again.append(
                Waiting(
                    id: request.id, request: request.request, weight: request.weight, callers: request.callers,
                    keys: request.keys, deadline: request.deadline, patientUntil: request.patientUntil,
                    caller: request.caller, isAlone: true))
            return nil
        }
        // At the front: they have waited already.
        waiting.insert(contentsOf: again, at: 0)
        for request in again { count(request, 1) }
        return callers
    }

    @inlinable
    func mayBegin(_ request: Waiting) -> Bool { !request.keys.contains(where: busyKeys.contains) }

    @inlinable
    mutating func begin(_ request: Waiting) {
        for key in request.keys { busyKeys.insert(key) }
        underWay[request.id] = request
        count(request, -1)
        metrics.callers += request.callers
        metrics.weight += request.weight
    }

    @inlinable
    mutating func count(_ request: Waiting, _ change: Int) {
        metrics.waiting += change
        metrics.waitingWeight += change * request.weight
        if request.isAlone { aloneWaiting += change }
    }
}
