import HandleRules
import Postgres

import struct FoundationEssentials.Date

/// A lock of an owner, or its end, as written in an archive.
struct ArchivedLock: Sendable {
    let owner: Owner?
    /// The mark of the owner, if its id was deleted.
    let formerMark: OwnerMark?
    let version: Int64
    let at: Date
    let actor: String
    let action: OwnerEvent.Action
    let reason: String?
    let until: Date?

    /// The event in this registry.
    func event(_ scope: Scope) -> OwnerEvent {
        OwnerEvent(
            mark: owner.map(scope.mark) ?? formerMark ?? OwnerMark(bytes: []), owner: owner, version: version, at: at,
            actor: actor, action: action, reason: reason, until: until)
    }

    /// True if the event is of the same owner as another, and can come after it.
    func follows(_ other: ArchivedLock?) -> Bool {
        guard let other, other.owner == owner, other.formerMark == formerMark else { return version == 1 }
        return version == other.version + 1 && at >= other.at
    }
}

extension Registry {
    /// Inserts the archived events of one owner, if it has none here. Safe to repeat.
    /// - Parameter isDryRun: true to insert nothing.
    /// - Returns: true if they are new; nil if the owner has other events here.
    /// - Throws: `PostgresError`
    func restore(_ locks: [ArchivedLock], isDryRun: Bool) async throws -> Bool? {
        let scope = try await writes.scope()
        let events = locks.map { $0.event(scope) }
        guard let last = events.last else { return false }
        let known = try await pool.run(LookupLastOwnerEvent(mark: last.mark)).first?.event
        if let known { return known.isSame(as: last) ? false : nil }
        if isDryRun { return true }
        return try await pool.transaction { transaction in
            let (_, stored) = try await transaction.run(
                LockAccount(mark: last.mark, id: last.owner?.id), LookupLastOwnerEvent(mark: last.mark))
            guard stored.isEmpty else {
                try await transaction.rollBack()
                return stored.first?.event.isSame(as: last) == true ? false : nil
            }
            var previous: ChainedOwnerEvent?
            for event in events {
                let chained = ChainedOwnerEvent(event, after: previous)
                transaction.runLast(AppendOwnerEvent(chained: chained))
                previous = chained
            }
            transaction.runLast(PutLock(event: last))
            try await transaction.commit()
            return true
        }
    }
}
