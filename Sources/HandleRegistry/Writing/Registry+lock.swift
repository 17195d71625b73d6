package import HandleRules
import Postgres

package import struct FoundationEssentials.Date

/// Locks of owners. A locked owner can't hold, claim, rename, recase, offer or release a handle; admins can for it.
extension Registry {
    /// Locks an owner, or changes the end and the reason of its lock. Safe to repeat.
    /// - Parameter until: the end of the lock, in the future; nil for none.
    /// - Returns: the event of the lock in force, and whether it is new.
    /// - Throws: `PostgresError`
    package func lock(
        _ owner: Owner, until: Date?, _ cause: Cause
    ) async throws -> (lock: OwnerEvent, isNew: Bool) {
        let until = until.map { Date(microsecondsSince1970: $0.microsecondsSince1970) }
        return try await changeLock(of: owner, id: owner.id) { last, account in
            if let last = last?.event, account.lock != nil, last.isLock(until: until, cause.reason) {
                return (last, false)
            }
            return (
                OwnerEvent(
                    mark: account.mark, owner: owner, version: (last?.event.version ?? 0) + 1,
                    at: max(account.now, last?.event.at ?? account.now),
                    actor: cause.actor.name, action: .locked, reason: cause.reason, until: until), true
            )
        }
    }

    /// Ends the lock of an owner. Safe to repeat.
    /// - Returns: the event; nil if the owner is not locked.
    /// - Throws: `PostgresError`
    package func unlock(_ owner: Owner, _ cause: Cause) async throws -> OwnerEvent? {
        let mark = try await writes.scope().mark(of: owner)
        guard let last = try await pool.run(LookupLastOwnerEvent(mark: mark)).first else { return nil }
        if last.event.action == .unlocked { return nil }
        let change = try await changeLock(of: owner, id: nil) { last, account in
            guard let last = last?.event else { preconditionFailure("events are never deleted") }
            if account.lock == nil { return (last, false) }
            return (
                OwnerEvent(
                    mark: account.mark, owner: owner, version: last.version + 1, at: max(account.now, last.at),
                    actor: cause.actor.name, action: .unlocked, reason: cause.reason, until: nil), true
            )
        }
        return change.isNew ? change.lock : nil
    }

    /// The lock in force of an owner.
    /// - Throws: `PostgresError`
    package func lock(of owner: Owner) async throws -> OwnerEvent? {
        let mark = try await writes.scope().mark(of: owner)
        guard let account = try await pool.run(LookupNotes(marks: [mark])).first, account.lock != nil else {
            return nil
        }
        return try await pool.run(LookupLastOwnerEvent(mark: mark)).first?.event
    }

    /// The locks in force, page by page.
    /// - Throws: `PostgresError`; errors of `found`.
    package func locks(_ found: ([OwnerEvent]) throws -> Void) async throws {
        var after: [UInt8] = []
        while true {
            let page = try await pool.run(LookupLocks(after: after))
            if !page.isEmpty { try found(page.map(\.event)) }
            guard page.count == LookupLocks.pageSize, let last = page.last else { return }
            after = last.event.mark.bytes
        }
    }

    /// Locks the owner's row, and appends the event that `next` makes of the last one, if it is new.
    /// - Parameter id: to be stored in the owner's row; nil to leave the row's, because the owner may have been forgotten.
    private func changeLock(
        of owner: Owner, id: String?,
        _ next: @Sendable (_ last: ChainedOwnerEvent?, Account) -> (lock: OwnerEvent, isNew: Bool)
    ) async throws -> (lock: OwnerEvent, isNew: Bool) {
        let mark = try await writes.scope().mark(of: owner)
        return try await pool.transaction { transaction in
            let (accounts, events) = try await transaction.run(
                LockAccount(mark: mark, id: id), LookupLastOwnerEvent(mark: mark))
            guard let account = accounts.first else { throw PostgresError(.unreadable, "the owner's row is missing") }
            let change = next(events.first, account)
            if change.isNew {
                transaction.runLast(AppendOwnerEvent(chained: ChainedOwnerEvent(change.lock, after: events.first)))
            }
            // Also when nothing is new: a synchronous commit makes the answer durable.
            transaction.runLast(PutLock(event: change.lock))
            try await transaction.commit()
            return change
        }
    }
}
