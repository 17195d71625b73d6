import HandleCore
import NIOConcurrencyHelpers
import Postgres

/// Lets claims that arrive while others are being committed ride together in one transaction.
///
/// A commit waits for the disk, and a statement costs the server hardly more for ten names than for one. With few claims
/// each has a transaction of its own at once; nobody waits for others to come. Whoever has to wait for a lock, or is
/// refused, goes on alone and lets the others pass.
final class ClaimQueue: Sendable {
    /// Transactions at the same time: more would make groups smaller, fewer would leave the disk idle.
    private static let maxRunning = 3
    /// Claims in one transaction, at most: so many fail together when their connection breaks.
    private static let maxGroup = 64

    private typealias Continuation = CheckedContinuation<TakeOutcome, any Error>

    private struct Waiting {
        let claim: Claim
        let continuation: Continuation
    }

    private struct State {
        var waiting: [Waiting] = []
        var running = 0
    }

    private let state = NIOLockedValueBox(State())

    func perform(_ claim: Claim, in registry: Registry) async throws -> TakeOutcome {
        let mayRun = state.withLockedValue { state in
            guard state.running < Self.maxRunning else { return false }
            state.running += 1
            return true
        }
        if mayRun {
            do {
                defer { next(in: registry) }
                return try await registry.performAlone(claim, waitingShortly: true)
            } catch let error as PostgresError where error.isLockTimeout {
                // Somebody has the name locked: wait for them without keeping others waiting.
            }
            return try await registry.performAlone(claim)
        }
        return try await withCheckedThrowingContinuation { continuation in
            let group = state.withLockedValue { state -> [Waiting] in
                state.waiting.append(Waiting(claim: claim, continuation: continuation))
                // Whoever ran may have ended before the claim was in the queue.
                guard state.running < Self.maxRunning else { return [] }
                state.running += 1
                return Self.takeGroup(&state)
            }
            start(group, in: registry)
        }
    }

    /// Hands the place of a transaction that has ended to those who wait.
    private func next(in registry: Registry) {
        let group = state.withLockedValue { state -> [Waiting] in
            guard !state.waiting.isEmpty else {
                state.running -= 1
                return []
            }
            return Self.takeGroup(&state)
        }
        start(group, in: registry)
    }

    private func start(_ group: [Waiting], in registry: Registry) {
        guard !group.isEmpty else { return }
        // A task of its own: a caller that gives up does not take the others with it.
        Task {
            let left = await run(group, in: registry)
            next(in: registry)
            await withDiscardingTaskGroup { tasks in
                for waiting in left {
                    tasks.addTask {
                        do {
                            waiting.continuation.resume(returning: try await registry.performAlone(waiting.claim))
                        } catch {
                            waiting.continuation.resume(throwing: error)
                        }
                    }
                }
            }
        }
    }

    /// Those who have waited longest, and of claims that meet in a row only the first.
    private static func takeGroup(_ state: inout State) -> [Waiting] {
        var group: [Waiting] = []
        var left: [Waiting] = []
        var owners: Set<Owner> = []
        var keys: Set<LookalikeKey> = []
        for waiting in state.waiting {
            let key = waiting.claim.reading.handle.map { LookalikeKey($0) }
            if group.count < maxGroup, let key, !owners.contains(waiting.claim.owner), !keys.contains(key) {
                owners.insert(waiting.claim.owner)
                keys.insert(key)
                group.append(waiting)
            } else {
                left.append(waiting)
            }
        }
        state.waiting = left
        return group
    }

    /// Does claims together.
    /// - Returns: those that are to be done alone.
    private func run(_ group: [Waiting], in registry: Registry) async -> [Waiting] {
        guard group.count > 1 else { return group }
        do {
            let outcomes = try await registry.performAlone(ClaimGroup(group.map(\.claim)), waitingShortly: true)
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
