/// The result for a row. All reports have the same words for it.
package enum RowVerdict: UInt8, Sendable, CaseIterable {
    /// The name is accepted unchanged.
    case valid
    /// The name breaks a rule of form.
    case invalid
    /// The name is well formed, but reserved, in use or a look-alike of a protected name.
    case unavailable
    /// An earlier row has the same name; under the strict look-alike policy, the same name or a look-alike.
    case duplicate
    /// The row can't be used.
    case unreadable
    /// The name is claimed, reserved, released, renamed or assigned now.
    case done
    /// The name was so before; in an undo, nothing is left to undo.
    case already
    /// The name is otherwise than the row says, and is left as it is: reserved for another owner or until another day;
    /// another owner's; in an undo, changed since.
    case differs

    /// The word in reports, unless the row is done: then it says what was done.
    package var code: StaticString {
        switch self {
        case .valid: "valid"
        case .invalid: "invalid"
        case .unavailable: "unavailable"
        case .duplicate: "duplicate"
        case .unreadable: "unreadable"
        case .done: "done"
        case .already: "already"
        case .differs: "differs"
        }
    }
}
