package import HandleRules

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

    package func lookedUp(_ scope: Scope) -> Handle? { handle }

    package func add(to touches: inout Touches, _ record: Record?, _ scope: Scope) {
        touches.add(handle)
        if let owner = record.flatMap(Self.holder) { touches.addLosing(owner, scope) }
    }

    /// The owner that loses the handle; nil if no account counts it.
    private static func holder(of record: Record) -> Owner? {
        record.isFree || record.state == .reserved ? nil : record.owner
    }

    package func refusal(_ record: Record?, _ scope: Scope) -> ChangeOutcome? {
        if record?.change == number { return nil }
        guard let record, !record.isFree else { return .refused(.notClaimed) }
        if let refusal = refusal(toRelease: record, scope) { return .refused(refusal) }
        return precondition.holds(for: record, scope) ? nil : .refused(.changed(record))
    }

    package func plan(in rows: inout LockedRows) -> Plan<ChangeOutcome> {
        guard let record = rows.record(handle) else { return .refuse(.refused(.notClaimed)) }
        if record.change == number { return .confirm(.done(record), record) }
        if let refusal = refusal(record, rows.scope) { return .refuse(refusal) }
        if record.state == .quarantined { return .confirm(.already(record), record) }
        let note = HistoryNote(.released, cause, number)
        guard let owner = Self.holder(of: record) else { return .commit(.done(rows.free(record, note))) }
        // The handle may have got another owner since it was looked up.
        guard rows.hasLocked(owner) else { return .lock(nil) }
        var account = rows.account(of: owner)
        guard record.state == .claimed else {
            account.endHold(of: handle)
            rows.set(account)
            return .commit(.done(rows.free(record, note)))
        }
        account.claimed -= 1
        if let displaced = account.noteQuarantine(handle, rows.scope.policy) {
            guard rows.hasLocked(displaced) else { return .lock(displaced) }
            rows.endQuarantine(of: displaced, account.mark, HistoryNote(.displaced, cause, number))
        }
        rows.set(account)
        return .commit(.done(rows.quarantine(record, for: account.mark, note)))
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
