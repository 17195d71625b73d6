package import HandleCore
package import Postgres

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

    package func attempt(in scope: Scope, _ transaction: inout Transaction) async throws -> Attempt<ChangeOutcome> {
        let handle = display.handle
        guard let before = try await transaction.run(Lookup(handle: handle)).first, !before.isFree else {
            return .refuse(.refused(.notClaimed))
        }
        // The statement below changes only this version of the record, so never another owner's.
        if let owner, before.owner != owner { return .refuse(.refused(.notOwner(before))) }
        guard before.state == .claimed, let holder = before.owner else { return .refuse(.refused(.notClaimed)) }
        if before.change == change { return .confirm(.done(before), handle, version: before.version) }
        guard precondition.holds(for: before, scope) else { return .refuse(.refused(.changed(before))) }
        if before.display == display { return .confirm(.already(before), handle, version: before.version) }
        let (records, _) = try await transaction.run(
            PutDisplay(display: display, version: before.version, change: change),
            AppendEvent(
                handle: handle, change: change, action: .recased, cause: cause, owner: scope.mark(of: holder)))
        return records.first.map { .commit(.done($0), made: $0) } ?? .again
    }
}
