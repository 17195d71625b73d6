package import HandleCore

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

    package func touches(_ record: Record?, _ scope: Scope) -> Touches { Touches(display.handle, in: scope) }

    package func plan(in rows: inout LockedRows) -> Plan<ChangeOutcome> {
        guard let record = rows.record(display.handle), !record.isFree else { return .refuse(.refused(.notClaimed)) }
        if let owner, record.owner != owner { return .refuse(.refused(.notOwner(record))) }
        guard record.state == .claimed, let holder = record.owner else { return .refuse(.refused(.notClaimed)) }
        if record.change == number { return .commit(.done(record)) }
        guard precondition.holds(for: record, rows.scope) else { return .refuse(.refused(.changed(record))) }
        if record.display == display { return .commit(.already(record)) }
        let recased = rows.write(
            display, .claimed, owner: holder, Step(.recased, cause, number, of: rows.scope.mark(of: holder)))
        return .commit(.done(recased))
    }
}
