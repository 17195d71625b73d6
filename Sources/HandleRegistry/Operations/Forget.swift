package import HandleCore
import Postgres

/// Takes a deleted owner off a reservation, which stays.
struct Orphaning: Operation {
    let record: Record
    let cause: Cause
    private let change = newChange()

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

extension Registry {
    private static let maxForgetAttempts = 5

    /// Gives up everything that a deleted owner has, and forgets who they were: what stays is the mark, by which they
    /// are known if they come back while a name is kept for them. Safe to repeat.
    /// - Returns: the names that were given up.
    package func forget(_ owner: Owner, _ cause: Cause) async throws -> [Record] {
        let mark = try await scope().mark(of: owner)
        var released: [Record] = []
        // Somebody who goes on claiming while they are deleted is given up on.
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
            if try await pool.run(ForgetOwner(mark: mark)).first ?? true { break }
        }
        return released
    }
}
