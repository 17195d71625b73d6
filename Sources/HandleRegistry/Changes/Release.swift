package import HandleCore

/// Ends a claim, a hold or a reservation. A claimed handle goes into quarantine; the others are free at once.
///
/// The rights of the actor decide which handles it may release.
package struct Release: Change {
    let handle: Handle
    let cause: Cause
    let precondition: Precondition
    package let number = newChange()
    package var goesByWords: Bool { false }

    package init(_ handle: Handle, if precondition: Precondition = .none, _ cause: Cause) {
        self.handle = handle
        self.precondition = precondition
        self.cause = cause
    }

    package var lookedUp: Handle? { handle }

    package func touches(_ record: Record?, _ scope: Scope) -> Touches {
        Touches(handle, owner: record.flatMap(Self.holder), in: scope)
    }

    /// The owner that loses the handle; nil if no account counts it.
    private static func holder(of record: Record) -> Owner? {
        record.isFree || record.state == .reserved ? nil : record.owner
    }

    package func plan(in rows: inout LockedRows) -> Plan<ChangeOutcome> {
        guard let record = rows.record(handle) else { return .refuse(.refused(.notClaimed)) }
        if record.change == number { return .commit(.done(record)) }
        if record.isFree { return .refuse(.refused(.notClaimed)) }
        if let refusal = refusal(toRelease: record, rows.scope) { return .refuse(.refused(refusal)) }
        guard precondition.holds(for: record, rows.scope) else { return .refuse(.refused(.changed(record))) }
        if record.state == .quarantined { return .commit(.already(record)) }
        let step = Step(.released, cause, number)
        guard let owner = Self.holder(of: record) else { return .commit(.done(rows.free(record, step))) }

        let mark = rows.scope.mark(of: owner)
        // The handle may have got another owner since it was looked up.
        guard var account = rows.account(mark) else { return .lock(Touches(owner: owner, in: rows.scope)) }
        guard record.state == .claimed else {
            account.endHold(of: handle)
            rows.set(account)
            return .commit(.done(rows.free(record, step)))
        }
        account.claimed -= 1
        if let displaced = account.noteQuarantine(handle, rows.scope.policy) {
            guard rows.hasLocked(displaced) else { return .lock(Touches(displaced, in: rows.scope)) }
            rows.endQuarantine(of: displaced, mark, Step(.displaced, cause, number))
        }
        rows.set(account)
        return .commit(.done(rows.quarantine(record, for: mark, step)))
    }

    /// Nil if the actor may release the handle, or has released it already. Only an admin may end a reservation,
    /// whichever owner it is for.
    private func refusal(toRelease record: Record, _ scope: Scope) -> Refusal? {
        let isTheirs: Bool
        switch (cause.actor.rights, record.state) {
        case (.admin, _): return nil
        case (.agent, let state): return state == .reserved ? .needsAdmin(record) : nil
        case (.owner(let owner), .claimed), (.owner(let owner), .held): isTheirs = record.owner == owner
        case (.owner(let owner), .quarantined): isTheirs = record.former == scope.mark(of: owner)
        case (.owner, .reserved), (.owner, .free): isTheirs = false
        }
        return isTheirs ? nil : .notOwner(record)
    }
}
