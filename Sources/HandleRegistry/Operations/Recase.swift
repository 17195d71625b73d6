package import HandleCore
package import Postgres

/// How a change of capitals ended.
package enum RecaseOutcome: Sendable {
    /// The handle is shown in the new way.
    case recased(Record)
    /// It was shown so already.
    case already(Record)
    /// Nobody has claimed it.
    case notClaimed
    /// Somebody else than the owner who wants the change has it.
    case notTheirs(Record)
    /// It is not as the precondition says; how it is now.
    case changed(Record)
}

/// Changes the capitals of a claimed handle.
package struct Recase: Operation {
    let display: DisplayHandle
    /// The owner who changes what is theirs; nil for somebody who may change any name.
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
        // The statement below changes only the version that was read here, so nobody else's name.
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
