package import HandleCore
package import Postgres

/// Outcome of a change of capitals.
package enum RecaseOutcome: Sendable {
    /// The display handle has changed.
    case recased(Record)
    /// The display handle was the same already.
    case already(Record)
    /// The handle is not claimed.
    case notClaimed
    /// The handle is another owner's.
    case notTheirs(Record)
    /// The precondition does not hold for this record.
    case changed(Record)
}

/// Changes the capitals of a claimed handle.
package struct Recase: Operation {
    let display: DisplayHandle
    /// The owner that makes the change; nil for a caller that may change any handle.
    let owner: Owner?
    let precondition: Precondition
    let cause: Cause
    private let change: Int64
    package var goesByWords: Bool { false }

    package init(
        _ display: DisplayHandle, by owner: Owner? = nil, if precondition: Precondition = .none, _ cause: Cause
    ) {
        self.init(display, by: owner, if: precondition, cause, change: newChange())
    }

    init(_ display: DisplayHandle, by owner: Owner?, if precondition: Precondition, _ cause: Cause, change: Int64) {
        self.display = display
        self.owner = owner
        self.precondition = precondition
        self.cause = cause
        self.change = change
    }

    package func attempt(in scope: Scope, _ transaction: inout Transaction) async throws -> Attempt<RecaseOutcome> {
        let handle = display.handle
        guard let before = try await transaction.run(Lookup(handle: handle)).first, !before.isFree else {
            return .refuse(.notClaimed)
        }
        // The statement below changes only this version of the record, so never another owner's.
        if let owner, before.owner != owner { return .refuse(.notTheirs(before)) }
        guard before.state == .claimed, let holder = before.owner else { return .refuse(.notClaimed) }
        if before.change == change { return .confirm(.recased(before), handle, version: before.version) }
        guard precondition.holds(for: before, scope) else { return .refuse(.changed(before)) }
        if before.display == display { return .confirm(.already(before), handle, version: before.version) }
        let (records, _) = try await transaction.run(
            PutDisplay(display: display, version: before.version, change: change),
            AppendEvent(
                handle: handle, change: change, action: .recased, cause: cause, owner: scope.mark(of: holder)))
        return records.first.map { .commit(.recased($0), made: $0) } ?? .again
    }
}
