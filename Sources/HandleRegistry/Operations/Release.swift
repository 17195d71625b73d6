public import HandleCore
public import Postgres

/// How giving a name up ended.
public enum ReleaseOutcome: Sendable {
    /// The name is in quarantine, or free.
    case released(Record)
    /// It was in quarantine already.
    case already(Record)
    /// Nobody has it.
    case notFound
    /// It is not as it was when somebody decided to release it; how it is now.
    case changed(Record)
}

/// Ends a claim, which goes into quarantine, or a hold or reservation, which are free at once.
public struct Release: Operation {
    let handle: Handle
    let cause: Cause
    /// The version that the name must have, when somebody has looked at it before.
    let version: Int64?
    private let change = newChange()

    public init(_ handle: Handle, ifVersion version: Int64? = nil, _ cause: Cause) {
        self.handle = handle
        self.version = version
        self.cause = cause
    }

    public func attempt(in scope: Scope, _ transaction: inout Transaction) async throws -> Attempt<ReleaseOutcome> {
        guard let record = try await transaction.run(Lookup(handle: handle)).first else { return .refuse(.notFound) }
        if record.change == change { return .confirm(.released(record), handle, version: record.version) }
        if record.isFree { return .refuse(.notFound) }
        if let version, record.version != version { return .refuse(.changed(record)) }
        if record.state == .quarantined { return .confirm(.already(record), handle, version: record.version) }

        var locks = Locks(scope, cause)
        guard let owner = record.owner, record.state != .reserved else {
            try await locks.lock([handle], &transaction)
            guard let freed = try await locks.free(record, .released, change: change, &transaction) else {
                return .again
            }
            locks.writeBack(&transaction)
            return .commit(.released(freed))
        }
        let mark = scope.mark(of: owner)
        guard var account = try await transaction.run(LockAccount(owner: owner, mark: mark)).first else {
            return .again
        }
        var displaced: Handle?
        if record.state == .claimed {
            account.claimed -= 1
            displaced = account.noteQuarantine(handle, scope.policy)
        } else {
            account.endHold(of: handle)
        }
        let names = [handle, displaced].compactMap(\.self).sorted()
        try await locks.lock(names, &transaction)
        var released: Record?
        for name in names {
            if name != handle {
                try await locks.endQuarantine(of: name, mark, &transaction)
            } else if record.state == .claimed {
                released = try await locks.quarantine(record, for: mark, .released, change: change, &transaction)
            } else {
                released = try await locks.free(record, .released, change: change, &transaction)
            }
        }
        guard let released else { return .again }
        locks.writeBack(&transaction)
        transaction.runLast(PutAccount(account: account))
        return .commit(.released(released))
    }
}
