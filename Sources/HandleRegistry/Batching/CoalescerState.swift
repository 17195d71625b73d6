extension Coalescer {
    /// A request with its caller. A class, because it moves between collections and its copies would be costly.
    final class Waiting: Sendable {
        let id: UInt64
        let request: Request
        let weight: Int
        /// The number of callers that the request is for.
        let callers: Int
        let keys: [Key]
        let deadline: Time.Instant
        /// The end of its patience; see ``CoalescerLimits/patience``.
        let patientUntil: Time.Instant
        let caller: Caller
        /// True if it could not be performed in a batch.
        let isAlone: Bool

        init(
            id: UInt64, request: Request, weight: Int, callers: Int, keys: [Key], deadline: Time.Instant,
            patientUntil: Time.Instant, caller: Caller, isAlone: Bool = false
        ) {
            (self.id, self.request, self.weight, self.callers, self.keys) = (id, request, weight, callers, keys)
            (self.deadline, self.patientUntil) = (deadline, patientUntil)
            (self.caller, self.isAlone) = (caller, isAlone)
        }
    }

    /// Requests that are performed together.
    struct Batch: Sendable {
        let members: [Waiting]
        /// True for one request that could not be performed in a batch.
        let isAlone: Bool

        var requests: [Request] { members.map(\.request) }

        /// The latest deadline of the requests. The callers with earlier ones leave at theirs.
        var deadline: Time.Instant { members.reduce(members[0].deadline) { max($0, $1.deadline) } }
    }

    /// Work to begin now: requests that are alone, and batches, one after the other until there is none left.
    struct Work: Sendable {
        var alone: [Batch] = []
        var hasBatches = false
    }

    /// The requests that wait and are under way. A value, which knows nothing of tasks.
    struct State: Sendable {
        let limits: CoalescerLimits
        var metrics = CoalescerMetrics()
        /// The moment at which a task looks for late and impatient callers; nil if there is no such task.
        var nextCheck: Time.Instant?
        /// Longest waiters first. A request that waits again, to be performed alone, is at the front.
        private var waiting: [Waiting] = []
        /// The requests under way, with the callers that have not left.
        private var underWay: [UInt64: Waiting] = [:]
        private var busyKeys: Set<Key> = []
        /// Numbers of tasks that perform batches, and of requests under way that are alone.
        private var (batches, alone) = (0, 0)
        /// Requests that wait to be performed alone.
        private var aloneWaiting = 0

        init(limits: CoalescerLimits) { self.limits = limits }

        /// The next moment at which a deadline passes or patience ends.
        func nextMoment(after now: Time.Instant) -> Time.Instant? {
            let deadlines = [waiting.lazy.map(\.deadline).min(), underWay.values.lazy.map(\.deadline).min()]
            let patience = waiting.lazy.map(\.patientUntil).filter { $0 > now }.min()
            return (deadlines + [patience]).compactMap(\.self).min()
        }

        /// Adds a request.
        /// - Returns: the moment by which to look after it; nil if too much waits already.
        mutating func add(_ request: Waiting) -> Time.Instant? {
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
        mutating func remove(_ id: UInt64) -> Caller? {
            if let index = waiting.firstIndex(where: { $0.id == id }) {
                let left = waiting.remove(at: index)
                count(left, -1)
                return left.caller
            }
            return underWay.removeValue(forKey: id)?.caller
        }

        /// Removes the callers that have reached their deadline. A request under way goes on without its caller.
        mutating func removeLate(at now: Time.Instant) -> [Caller] {
            let late = waiting.filter { $0.deadline <= now }
            if !late.isEmpty { waiting.removeAll { $0.deadline <= now } }
            for request in late { count(request, -1) }
            let lateUnderWay = underWay.values.filter { $0.deadline <= now }
            for request in lateUnderWay { underWay[request.id] = nil }
            return (late + lateUnderWay).map(\.caller)
        }

        /// Begins work besides that under way, if there is any.
        mutating func begin(at now: Time.Instant) -> Work {
            var work = Work()
            while alone < limits.alone, aloneWaiting > 0,
                let index = waiting.firstIndex(where: { $0.isAlone && mayBegin($0) })
            {
                let request = waiting.remove(at: index)
                begin(request)
                alone += 1
                metrics.batches += 1
                work.alone.append(Batch(members: [request], isAlone: true))
            }
            guard batches < limits.batches, let oldest = waiting.first(where: { !$0.isAlone && mayBegin($0) }) else {
                return work
            }
            let isEnough = batches == 0 || metrics.waitingWeight >= limits.weightForAnotherBatch
            work.hasBatches = isEnough || oldest.patientUntil <= now
            if work.hasBatches { batches += 1 }
            return work
        }

        /// Begins the next batch: the longest waiters that may begin. Nil ends a task that performs batches.
        mutating func nextBatch() -> Batch? {
            var (members, left): ([Waiting], [Waiting]) = ([], [])
            var (weight, end) = (0, 0)
            for request in waiting {
                if !request.isAlone, mayBegin(request) {
                    guard members.isEmpty || weight + request.weight <= limits.batchWeight else { break }
                    members.append(request)
                    weight += request.weight
                    begin(request)
                } else {
                    left.append(request)
                }
                end += 1
            }
            guard !members.isEmpty else {
                batches -= 1
                return nil
            }
            waiting.replaceSubrange(..<end, with: left)
            metrics.batches += 1
            return Batch(members: members, isAlone: false)
        }

        private mutating func begin(_ request: Waiting) {
            busyKeys.formUnion(request.keys)
            underWay[request.id] = request
            count(request, -1)
            metrics.callers += request.callers
            metrics.weight += request.weight
        }

        /// Ends a batch.
        /// - Returns: the callers of the answered requests; nil for one that has left, and for one that waits again.
        mutating func end(_ batch: Batch, _ answers: [Answer]) -> [Caller?] {
            if batch.isAlone { alone -= 1 }
            var again: [Waiting] = []
            let callers = zip(batch.members, answers).map { request, answer -> Caller? in
                busyKeys.subtract(request.keys)
                guard underWay.removeValue(forKey: request.id) != nil else { return nil }
                guard case .alone = answer else { return request.caller }
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

        private func mayBegin(_ request: Waiting) -> Bool { !request.keys.contains(where: busyKeys.contains) }

        private mutating func count(_ request: Waiting, _ change: Int) {
            metrics.waiting += change
            metrics.waitingWeight += change * request.weight
            if request.isAlone { aloneWaiting += change }
        }
    }
}
