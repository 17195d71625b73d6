package import HandleRules

/// Changes the capitals of a claimed handle. An actor with the rights of one owner may change only its own.
package struct Recase: Change {
    let display: DisplayHandle
    /// The owner of which the handle must be; nil for any.
    private let owner: Owner?
    let precondition: Precondition
    let cause: Cause
    package let number: Int64
    package var goesByWords: Bool { false }

    package init(_ display: DisplayHandle, if precondition: Precondition = .none, _ cause: Cause) {
        self.init(display, of: cause.actor.owner, if: precondition, cause, number: newChange())
    }

    init(_ display: DisplayHandle, of owner: Owner?, if precondition: Precondition, _ cause: Cause, number: Int64) {
        self.display = display
        self.owner = owner
        self.precondition = precondition
        self.cause = cause
        self.number = number
    }

    package func lookedUp(_ scope: Scope) -> Handle? { display.handle }

    package func refusal(_ record: Record?, _ scope: Scope) -> ChangeOutcome? {
        guard let record, !record.isFree else { return .refused(.notClaimed) }
        if let owner, record.owner != owner { return .refused(.notOwner(record)) }
        return record.state == .claimed ? nil : .refused(.notClaimed)
    }

    package func add(to touches: inout Touches, _ record: Record?, _ scope: Scope) {
        touches.add(display.handle)
        touches.addKeeper(of: record, scope)
    }

    package func plan(in rows: inout LockedRows) -> Plan<ChangeOutcome> {
        let record = rows.record(display.handle)
        if let refusal = refusal(record, rows.scope) { return .refuse(refusal) }
        guard let record, let holder = record.owner else { return .refuse(.refused(.notClaimed)) }
        if record.change == number { return .confirm(.done(record), record) }
        guard precondition.holds(for: record, rows.scope) else { return .refuse(.refused(.changed(record))) }
        // The handle may have got another owner since it was looked up.
        guard rows.hasLocked(rows.mark(of: holder)) else { return .lock(nil) }
        if let lock = rows.lock(of: holder, for: cause.actor) { return .refuse(.refused(.locked(lock))) }
        if record.display == display { return .confirm(.already(record), record) }
        return .commit(
            .done(
                rows.write(
                    display, .claimed, owner: holder, offer: record.offer, HistoryNote(.recased, cause, number))))
    }
}
