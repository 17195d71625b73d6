package import HandleRules

/// Ends a claim, a hold or a reservation. A claimed handle goes into quarantine; the others are free at once. An admin can
/// free it at once, also out of quarantine.
///
/// The rights of the actor decide which handles it may release.
package struct Release: Change {
    let handle: Handle
    let cause: Cause
    let precondition: Precondition
    /// True to free the handle at once.
    private let isFinal: Bool
    /// True if the owner may be locked.
    private let ignoresLock: Bool
    package let number = newChange()
    package var goesByWords: Bool { false }

    /// - Parameter isFinal: true to free the handle at once, also out of quarantine; only for admins.
    package init(
        _ handle: Handle, atOnce isFinal: Bool = false, if precondition: Precondition = .none, _ cause: Cause
    ) {
        self.init(handle, atOnce: isFinal, ignoringLock: cause.actor.rights == .admin, if: precondition, cause)
    }

    /// - Parameter ignoresLock: true if the owner may be locked, because it is deleted.
    init(
        _ handle: Handle, atOnce isFinal: Bool = false, ignoringLock ignoresLock: Bool,
        if precondition: Precondition = .none, _ cause: Cause
    ) {
        self.handle = handle
        self.isFinal = isFinal
        self.ignoresLock = ignoresLock
        self.precondition = precondition
        self.cause = cause
    }

    package func lookedUp(_ scope: Scope) -> Handle? { handle }

    package func add(to touches: inout Touches, _ record: Record?, _ scope: Scope) {
        touches.add(handle)
        touches.addKeeper(of: record, scope)
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
        if record.state == .quarantined, !isFinal { return .confirm(.already(record), record) }
        let note = HistoryNote(.released, cause, number)
        let mark = record.keeper(rows.scope)
        // The handle may have got another owner since it was looked up.
        guard mark.map(rows.hasLocked) ?? true else { return .lock(nil) }
        if let mark, !ignoresLock, let lock = rows.account(mark).lock { return .refuse(.refused(.locked(lock))) }
        _ = rows.takeAway(record)
        guard let mark, record.state == .claimed, !isFinal else { return .commit(.done(rows.free(record, note))) }
        return .commit(.done(rows.quarantine(record, for: mark, note)))
    }

    /// Nil if the actor may release the handle, or has released it already. Only an admin may end a reservation,
    /// whichever owner it is for, and a quarantine.
    private func refusal(toRelease record: Record, _ scope: Scope) -> Refusal? {
        if isFinal, cause.actor.rights != .admin { return .needsAdmin(record) }
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
