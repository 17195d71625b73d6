package import HandleCore
package import Postgres

/// How giving a name up ended.
package enum ReleaseOutcome: Sendable {
    /// The name is in quarantine, or free.
    case released(Record)
    /// It was in quarantine already.
    case already(Record)
    /// Nobody has it.
    case notFound
    /// It is not as the precondition says; how it is now.
    case changed(Record)
    /// It is not for who releases to give up: another owner's, or reserved.
    case notTheirs(Record)
}

/// Who gives a name up.
package enum Releaser: Sendable {
    /// Somebody who may release any name.
    case admin
    /// Somebody who acts for the owners, and may release what these hold and have claimed; reservations are an admin's.
    case agent
    /// The owner who gives up what is theirs.
    case owner(Owner)
}

/// Ends a claim, which goes into quarantine, or a hold or reservation, which are free at once.
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

    package func attempt(in scope: Scope, _ transaction: inout Transaction) async throws -> Attempt<ReleaseOutcome> {
        guard let record = try await transaction.run(Lookup(handle: handle)).first else { return .refuse(.notFound) }
        if record.change == change { return .confirm(.released(record), handle, version: record.version) }
        if record.isFree { return .refuse(.notFound) }
        // The statements below change only the version that was read here, so nobody else's name is given up for it.
        guard mayGiveUp(record, scope) else { return .refuse(.notTheirs(record)) }
        guard precondition.holds(for: record, scope) else { return .refuse(.changed(record)) }
        if record.state == .quarantined { return .confirm(.already(record), handle, version: record.version) }

        var locks = Locks(scope, cause)
        guard let owner = record.owner, record.state != .reserved else {
            try await locks.lock([handle], &transaction)
            guard let freed = try await locks.free(record, .released, change: change, &transaction) else {
                return .again
            }
            locks.writeBack(&transaction)
            return .commit(.released(freed), made: freed)
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
        return .commit(.released(released), made: released)
    }

    /// Whether the name is theirs to give up, or was given up by them already. A reservation is an admin's, for
    /// whomever it is.
    private func mayGiveUp(_ record: Record, _ scope: Scope) -> Bool {
        switch (releaser, record.state) {
        case (.admin, _): true
        case (.agent, let state): state != .reserved
        case (.owner(let owner), .claimed), (.owner(let owner), .held): record.owner == owner
        case (.owner(let owner), .quarantined): record.former == scope.mark(of: owner)
        case (.owner, .reserved), (.owner, .free): false
        }
    }
}
