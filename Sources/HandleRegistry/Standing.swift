import HandleCore

/// How a name stands, as far as a decision needs to know: less than a ``Record``, and quicker to read.
struct Standing: Sendable {
    let handle: Handle
    let state: State
    let owner: Owner?
    /// The mark of the one who had it before the quarantine.
    let former: OwnerMark?
    /// The secret of a hold.
    let hold: String?
}

extension Record {
    /// Nil when nobody has the name any more.
    var standing: Standing? {
        isFree ? nil : Standing(handle: handle, state: state, owner: owner, former: former, hold: hold)
    }
}
