package import HandleRules

/// Ends the way from an old name, in quarantine, to its former owner's present one. The quarantine stays.
///
/// A person may end only the way to their own name. Nothing changes for a handle that leads nowhere.
package struct EndForward: Change {
    let handle: Handle
    let precondition: Precondition
    let cause: Cause
    package let number = newChange()
    package var goesByWords: Bool { false }

    package init(_ handle: Handle, if precondition: Precondition = .none, _ cause: Cause) {
        self.handle = handle
        self.precondition = precondition
        self.cause = cause
    }

    package func add(to touches: inout Touches, _ record: Record?, _ scope: Scope) { touches.add(handle) }

    package func plan(in rows: inout LockedRows) -> Plan<ChangeOutcome> {
        guard let record = rows.record(handle), !record.isFree else { return .refuse(.refused(.notClaimed)) }
        if record.change == number { return .confirm(.done(record), record) }
        if let owner = cause.actor.owner, record.keeper(rows.scope) != rows.mark(of: owner) {
            return .refuse(.refused(.notOwner(record)))
        }
        guard precondition.holds(for: record, rows.scope) else { return .refuse(.refused(.changed(record))) }
        guard record.isForwarded else { return .confirm(.already(record), record) }
        let note = HistoryNote(.forwardEnded, cause, number)
        return .commit(
            .done(rows.write(record.display, .quarantined, former: record.former, until: record.until, note)))
    }
}
