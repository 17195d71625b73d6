import HandleCore
import NIOConcurrencyHelpers
import Postgres

/// Batches claims that arrive while others are being committed into one transaction.
///
/// A commit waits for the disk, and a statement costs the server hardly more for ten handles than for one. With few
/// claims, each runs at once in its own transaction; none waits for a batch to fill. A claim that has to wait for a row
/// lock, or is refused, continues alone, and the others pass it.
///
/// Claims for one look-alike key or of one owner would wait for each other in the database. They wait here instead,
/// where a waiter needs no connection. The number of waiters is limited, and waiting counts towards the deadline of a
/// call.
final class ClaimQueue: Sendable {
    /// Transactions of batches at the same time. More would make batches smaller; fewer would leave the disk idle.
    static let maxGroups = 3
    /// Claims in one transaction: all of them fail together if their connection breaks.
    private static let maxGroup = 64
    /// Claims that may wait. Further ones are refused at once, because they would only time out.
    private static let maxWaiting = 4096

    fileprivate struct Waiting {
        let id: UInt64
        let claim: Claim
        /// True if it was tried in a batch, or with a short lock wait, and is to run alone now.
        var isAlone: Bool
        let deadline: ContinuousClock.Instant
        let continuation: CheckedContinuation<ChangeOutcome, any Error>
    }

    fileprivate struct State {
        /// Longest waiters first. Claims that are to run alone keep their place.
        var waiting: [Waiting] = []
        var groups = 0
        var alone = 0
        /// Owners and look-alike keys of the claims under way: at most one claim at a time for each.
        var owners: Set<Owner> = []
        var keys: Set<LookalikeKey> = []
        var lastID: UInt64 = 0
        /// True while a task expires waiters.
        var isWatched = false
    }

    private let state = NIOLockedValueBox(State())

    /// Number of waiters.
    var waitingCount: Int { state.withLockedValue(\.waiting.count) }

    func perform(_ claim: Claim, in registry: Registry) async throws -> ChangeOutcome {
        let deadline = ContinuousClock.now + registry.pool.configuration.timeout
        let mayRun = state.withLockedValue { state in
            guard state.groups < Self.maxGroups, state.isFree(claim) else { return false }
            state.groups += 1
            state.begin(claim)
            return true
        }
        guard mayRun else { return try await wait(claim, alone: false, until: deadline, in: registry) }
        do {
            defer { end([claim], group: true, in: registry) }
            return try await registry.performAlone(claim, waitingShortly: true, until: deadline)
        } catch let error as PostgresError where error.isLockTimeout {
            // Another transaction has a row lock: run alone, so that the wait does not delay other claims.
        }
        return try await wait(claim, alone: true, until: deadline, in: registry)
    }

    // MARK: Waiting

    private func wait(
        _ claim: Claim, alone isAlone: Bool, until deadline: ContinuousClock.Instant, in registry: Registry
    ) async throws -> ChangeOutcome {
        let id = state.withLockedValue { state in
            state.lastID += 1
            return state.lastID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiting = Waiting(
                    id: id, claim: claim, isAlone: isAlone, deadline: deadline, continuation: continuation)
                let isFull = state.withLockedValue { state in
                    if state.waiting.count < Self.maxWaiting {
                        state.waiting.append(waiting)
                        return false
                    }
                    return true
                }
                if isFull {
                    continuation.resume(throwing: PostgresError(.overloaded, "too many claims are waiting"))
                    return
                }
                watch()
                // The caller may have been cancelled before the claim was in the queue.
                if Task.isCancelled { cancel(id) }
                startWhatCanRun(in: registry)
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func cancel(_ id: UInt64) {
        let waiting = state.withLockedValue { state -> Waiting? in
            guard let index = state.waiting.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiting.remove(at: index)
        }
        waiting?.continuation.resume(throwing: CancellationError())
    }

    /// Expires waiters at their deadlines, until none are left.
    private func watch() {
        let isWatched = state.withLockedValue { state in
            defer { state.isWatched = true }
            return state.isWatched
        }
        if isWatched { return }
        Task {
            var next: ContinuousClock.Instant? = .now
            while let moment = next {
                try? await ContinuousClock().sleep(until: moment)
                let now = ContinuousClock.now
                let late = state.withLockedValue { state -> [Waiting] in
                    let late = state.waiting.filter { $0.deadline <= now }
                    if !late.isEmpty { state.waiting.removeAll { $0.deadline <= now } }
                    next = state.waiting.lazy.map(\.deadline).min()
                    state.isWatched = next != nil
                    return late
                }
                for waiting in late {
                    waiting.continuation.resume(
                        throwing: PostgresError(.timedOut, "the claim waited too long for earlier ones"))
                }
            }
        }
    }

    // MARK: Running

    /// Starts claims that wait only for a transaction, while the limits allow more transactions.
    private func startWhatCanRun(in registry: Registry) {
        // Half of the connections may wait for row locks; the others are for claims that don't have to wait.
        let maxAlone = max(1, registry.pool.configuration.size / 2)
        while true {
            let (group, alone) = state.withLockedValue { state -> ([Waiting], [Waiting]) in
                let alone = state.take(atMost: min(1, maxAlone - state.alone), alone: true)
                state.alone += alone.count
                guard state.groups < Self.maxGroups else { return ([], alone) }
                let group = state.take(atMost: Self.maxGroup, alone: false)
                state.groups += group.isEmpty ? 0 : 1
                return (group, alone)
            }
            if group.isEmpty && alone.isEmpty { return }
            // Tasks of their own: cancelling one caller does not cancel the others.
            if !group.isEmpty { Task { await run(group, in: registry) } }
            for waiting in alone { Task { await run(alone: waiting, in: registry) } }
        }
    }

    /// Releases the owners, the look-alike keys and the transaction of ended claims, and starts waiters.
    private func end(_ claims: [Claim], group isGroup: Bool, in registry: Registry) {
        state.withLockedValue { state in
            if isGroup { state.groups -= 1 } else { state.alone -= 1 }
            for claim in claims { state.end(claim) }
        }
        startWhatCanRun(in: registry)
    }

    private func run(alone waiting: Waiting, in registry: Registry) async {
        let result: Result<ChangeOutcome, any Error>
        do {
            result = .success(try await registry.performAlone(waiting.claim, until: waiting.deadline))
        } catch {
            result = .failure(error)
        }
        end([waiting.claim], group: false, in: registry)
        waiting.continuation.resume(with: result)
    }

    private func run(_ group: [Waiting], in registry: Registry) async {
        var left = await run(together: group, in: registry)
        for index in left.indices { left[index].isAlone = true }
        if !left.isEmpty {
            // Back to the front: they have waited already.
            state.withLockedValue { [left] state in state.waiting.insert(contentsOf: left, at: 0) }
            watch()
        }
        end(group.map(\.claim), group: true, in: registry)
    }

    private func outcomes(of group: [Waiting], in registry: Registry) async throws -> [ChangeOutcome?] {
        guard let deadline = group.map(\.deadline).min() else { return [] }
        if group.count == 1 {
            return [try await registry.performAlone(group[0].claim, waitingShortly: true, until: deadline)]
        }
        return try await registry.performAlone(
            ClaimGroup(group.map(\.claim)), waitingShortly: true, until: deadline)
    }

    /// Runs a batch.
    /// - Returns: the claims that are to run alone.
    private func run(together group: [Waiting], in registry: Registry) async -> [Waiting] {
        do {
            let outcomes = try await outcomes(of: group, in: registry)
            var left: [Waiting] = []
            for (waiting, outcome) in zip(group, outcomes) {
                if let outcome { waiting.continuation.resume(returning: outcome) } else { left.append(waiting) }
            }
            return left
        } catch let error as PostgresError where error.isLockTimeout {
            return group
        } catch {
            for waiting in group { waiting.continuation.resume(throwing: error) }
            return []
        }
    }
}

extension ClaimQueue.State {
    /// True if no claim under way has the same owner or look-alike key.
    func isFree(_ claim: Claim) -> Bool {
        !owners.contains(claim.owner) && !(claim.key.map { keys.contains($0) } ?? false)
    }

    mutating func begin(_ claim: Claim) {
        owners.insert(claim.owner)
        if let key = claim.key { keys.insert(key) }
    }

    mutating func end(_ claim: Claim) {
        owners.remove(claim.owner)
        if let key = claim.key { keys.remove(key) }
    }

    /// Begins the longest waiters that no claim under way blocks, and removes them from the queue.
    mutating func take(atMost count: Int, alone: Bool) -> [ClaimQueue.Waiting] {
        guard count > 0, !waiting.isEmpty else { return [] }
        var taken: [ClaimQueue.Waiting] = []
        var left: [ClaimQueue.Waiting] = []
        for waiting in waiting {
            if taken.count < count, waiting.isAlone == alone, isFree(waiting.claim) {
                begin(waiting.claim)
                taken.append(waiting)
            } else {
                left.append(waiting)
            }
        }
        if !taken.isEmpty { waiting = left }
        return taken
    }
}

extension Claim {
    fileprivate var key: LookalikeKey? { reading.handle.map { LookalikeKey($0) } }
}
