package import HandleCore
import Postgres

/// Takes a deleted owner off a reservation, which stays.
struct Orphaning: Operation {
    let record: Record
    let cause: Cause
    private let change = newChange()
    var goesByWords: Bool { false }

    init(_ record: Record, _ cause: Cause) {
        self.record = record
        self.cause = cause
    }

    func attempt(in scope: Scope, _ transaction: inout Transaction) async throws -> Attempt<Void> {
        let (records, _) = try await transaction.run(
            Orphan(handle: record.handle, version: record.version, change: change),
            AppendEvent(handle: record.handle, change: change, action: .orphaned, cause: cause, owner: nil))
        return records.isEmpty ? .refuse(()) : .commit((), made: nil)
    }
}

/// How forgetting an owner ended.
package enum ForgetOutcome: Sendable {
    /// Nothing of them is left but the mark; the names that were given up.
    case forgotten([Record])
    /// They have got names again and again meanwhile, or are counted as having one that they have not: who they are is
    /// still known.
    case somethingIsLeft
}

extension Registry {
    private static let maxForgetAttempts = 5

    /// Gives up everything that a deleted owner has, and forgets who they were: what stays is the mark, by which they
    /// are known if they come back while a name is kept for them. Safe to repeat.
    package func forget(_ owner: Owner, _ cause: Cause) async throws -> ForgetOutcome {
        let mark = try await scope().mark(of: owner)
        var released: [Record] = []
        for _ in 0..<Self.maxForgetAttempts {
            for record in try await pool.run(LookupOwner(owner: owner)) {
                if record.isFree {
                    // What has lapsed is swept, or it would keep the id.
                    try await perform(Expire(record))
                } else if record.state == .reserved {
                    try await perform(Orphaning(record, cause))
                } else if case .released(let record) = try await perform(
                    Release(record.handle, by: .owner(owner), cause))
                {
                    // Only what is still theirs: a hold may have ended since, and somebody else have the name.
                    released.append(record)
                }
            }
            if try await forgetIfNothingIsLeft(owner, mark) { return .forgotten(released) }
        }
        return .somethingIsLeft
    }

    /// Forgets who an owner is, unless they have a name in whatever state or are counted as having one.
    ///
    /// Whoever gives them one locks their row first, so that nothing comes in between.
    private func forgetIfNothingIsLeft(_ owner: Owner, _ mark: OwnerMark) async throws -> Bool {
        try await pool.transaction { transaction in
            _ = try await transaction.run(LockOwners(marks: [mark]))
            let isNothingLeft = try await transaction.run(LookupOwner(owner: owner)).isEmpty
            guard isNothingLeft, try await transaction.run(ForgetOwner(mark: mark)).first ?? true else {
                try await transaction.rollBack()
                return false
            }
            try await transaction.commit()
            return true
        }
    }
}
