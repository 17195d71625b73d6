import HandleCore
import Postgres

/// Frees a name whose time has passed. Only tidiness: such a name counts as free anyway.
struct Expire: Operation {
    let record: Record
    private let change = newChange()

    init(_ record: Record) { self.record = record }

    func attempt(in scope: Scope, _ transaction: inout Transaction) async throws -> Attempt<Void> {
        var locks = Locks(scope, .registry)
        let freed = try await locks.free(record, .expired, change: change, &transaction)
        return freed == nil ? .refuse(()) : .commit(())
    }
}

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
        return records.isEmpty ? .refuse(()) : .commit(())
    }
}

extension Registry {
    private static let maxForgetAttempts = 5

    /// Frees names whose time has passed and removes answers that have been kept long enough.
    /// - Returns: how many names there were.
    @discardableResult
    public func sweep(limit: Int = 500) async throws -> Int {
        let lapsed = try await pool.run(LookupLapsed(limit: Int64(limit)))
        for record in lapsed { try await perform(Expire(record)) }
        _ = try await pool.run(DeleteOldKeys())
        return lapsed.count
    }

    /// Gives up everything that a deleted owner has, and forgets who they were: what stays is the mark, by which they
    /// are known if they come back while a name is kept for them. Safe to repeat.
    /// - Returns: the names that were given up.
    public func forget(_ owner: Owner, _ cause: Cause) async throws -> [Record] {
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
                } else if case .released(let record) = try await perform(Release(record.handle, cause)) {
                    released.append(record)
                }
            }
            if try await pool.run(ForgetOwner(mark: mark)).first ?? true { break }
        }
        return released
    }
}
