/// The result for a row.
package enum RowVerdict: UInt8, Sendable, CaseIterable {
    /// The name is accepted unchanged.
    case valid
    /// The name breaks a rule of form.
    case invalid
    /// The name is well formed, but reserved, in use or a look-alike of a protected name.
    case unavailable
    /// An earlier row has the same name; under the strict look-alike policy, the same name or a look-alike.
    case duplicate
    /// The row has no readable name.
    case unreadable
    /// The name is claimed, reserved or released now.
    case done
    /// The name was claimed or reserved before; in an undo, nothing is left to undo.
    case already
    /// The reserved name belongs to an owner by now (in an undo), or it is reserved for another owner or until another
    /// day, and stays so.
    case changed

    /// The code in reports, unless a report has its own.
    package var code: StaticString {
        switch self {
        case .valid: "valid"
        case .invalid: "invalid"
        case .unavailable: "unavailable"
        case .duplicate: "duplicate"
        case .unreadable: "unreadable"
        case .done: "done"
        case .already: "already"
        case .changed: "changed"
        }
    }
}
