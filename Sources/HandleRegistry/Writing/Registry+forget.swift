package import HandleRules
import Postgres

extension Registry {
    private static let maxForgetAttempts = 5

    /// Releases all handles of a deleted owner, ends the ways from old ones, and deletes the owner's id. The mark stays: it recognises an owner that
    /// returns while a handle is still in quarantine. Safe to repeat.
    /// - Returns: the released handles. Nil if the owner kept getting handles meanwhile, or the count of its claims is
    ///   wrong: its id is still stored.
    package func forget(_ owner: Owner, _ cause: Cause) async throws -> [Record]? {
        let mark = try await writes.scope().mark(of: owner)
        // Only a handle that is still the owner's is released: its hold may have ended, and another owner may have it.
        let own = Cause(by: Cause.Actor(cause.actor.name, .owner(owner)), reason: cause.reason)
        var released: [Record] = []
        for _ in 0..<Self.maxForgetAttempts {
            let kept = try await pool.run(LookupNotes(marks: [mark])).first?.quarantined.map(\.handle) ?? []
            for record in try await lookUp(kept).values where record.isForwarded && record.former == mark {
                _ = try await perform(EndForward(record.handle, own))
            }
            for record in try await pool.run(LookupOwners(owners: [owner])) {
                if record.isFree {
                    // A lapsed record would keep the id.
                    _ = try await perform(Expire(record))
                } else if record.state == .reserved {
                    _ = try await perform(Orphan(record, cause))
                } else {
                    let release = Release(record.handle, ignoringLock: true, own)
                    if case .done(let record) = try await perform(release) { released.append(record) }
                }
            }
            if try await forgetIfNothingIsLeft(owner, mark) { return released }
        }
        return nil
    }

    /// Deletes the id of an owner, unless it has a record in any state or its count of claims is not 0.
    ///
    /// A transaction that gives the owner a handle locks the owner's row first, so it can't intervene.
    private func forgetIfNothingIsLeft(_ owner: Owner, _ mark: OwnerMark) async throws -> Bool {
        try await pool.transaction { transaction in
            _ = try await transaction.run(LockOwners(marks: [mark]))
            let isNothingLeft = try await transaction.run(LookupOwners(owners: [owner])).isEmpty
            guard isNothingLeft, try await transaction.run(ForgetOwner(mark: mark)).first ?? true else {
                try await transaction.rollBack()
                return false
            }
            try await transaction.commit()
            return true
        }
    }
}
