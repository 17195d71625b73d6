import HandleCore

/// The columns of a ``Record`` that a decision needs; faster to read.
struct Standing: Sendable {
    let handle: Handle
    let state: State
    let owner: Owner?
    /// The mark of the former owner, in quarantine.
    let former: OwnerMark?
    /// The secret of a hold.
    let hold: String?
}

extension Record {
    /// Nil if the handle is free.
    var standing: Standing? {
        isFree ? nil : Standing(handle: handle, state: state, owner: owner, former: former, hold: hold)
    }
}
