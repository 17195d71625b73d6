package import HandleCore
package import Postgres

/// The kind of caller that releases a handle.
package enum Releaser: Sendable {
    /// May release any handle.
    case admin
    /// Acts for the owners: may release held and claimed handles. Reservations are for admins.
    case agent
    /// May release its own handles.
    case owner(Owner)
}

/// Ends a claim, a hold or a reservation. A claimed handle goes into quarantine; the others are free at once.
package struct Release: Operation {
    let handle: Handle
    let cause: Cause
    let precondition: Precondition
    let releaser: Releaser
    private let change = newChange()
    package var goesByWords: Bool { false }

    package init(
        _ handle: Handle, if precondition: Precondition = .none, by releaser: Releaser = .admin, _ cause: Cause
    ) {
        self.handle = handle
        self.precondition = precondition
        self.releaser = releaser
        self.cause = cause
    }

    package func attempt(in scope: Scope, _ transaction: inout Transaction) async throws -> Attempt<ChangeOutcome> {
        guard let record = try await transaction.run(Lookup(handle: handle)).first else {
            return .refuse(.refused(.notClaimed))
        }
        if record.change == change { return .confirm(.done(record), handle, version: record.version) }
        if record.isFree { return .refuse(.refused(.notClaimed)) }
        // The statements below change only this version of the record, so never another owner's.
        if let refusal = refusal(toRelease: record, scope) { return .refuse(.refused(refusal)) }
        guard precondition.holds(for: record, scope) else { return .refuse(.refused(.changed(record))) }
        if record.state == .quarantined { return .confirm(.already(record), handle, version: record.version) }

        var locks = Locks(scope, cause)
        guard let owner = record.owner, record.state != .reserved else {
            try await locks.lock([handle], &transaction)
            guard let freed = try await locks.free(record, .released, change: change, &transaction) else {
                return .again
            }
            locks.writeBack(&transaction)
            return .commit(.done(freed), made: freed)
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
        return .commit(.done(released), made: released)
    }

    /// Nil if the releaser may release the handle, or has released it already. Only an admin may end a reservation,
    /// whichever owner it is for.
    private func refusal(toRelease record: Record, _ scope: Scope) -> Refusal? {
        let isTheirs: Bool
        switch (releaser, record.state) {
        case (.admin, _): return nil
        case (.agent, let state): return state == .reserved ? .needsAdmin(record) : nil
        case (.owner(let owner), .claimed), (.owner(let owner), .held): isTheirs = record.owner == owner
        case (.owner(let owner), .quarantined): isTheirs = record.former == scope.mark(of: owner)
        case (.owner, .reserved), (.owner, .free): isTheirs = false
        }
        return isTheirs ? nil : .notOwner(record)
    }
}
