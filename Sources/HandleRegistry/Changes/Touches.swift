import HandleCore

/// The rows that changes need locked.
///
/// A handle is locked by the row of its look-alike key. Every change of a handle locks this row first.
package struct Touches: Sendable {
    struct OwnerRow: Sendable {
        let owner: Owner
        /// Handles that the owner is about to claim. The lock counts them already, which saves a statement.
        var claims: Int64
    }

    /// The owners to lock. A missing row is inserted.
    private(set) var owners: [OwnerMark: OwnerRow] = [:]
    /// The owners to lock if they have a row: a reservation alone needs none.
    private(set) var promised: Set<OwnerMark> = []
    private(set) var handles: Set<Handle> = []
    /// Handles that are about to be claimed. A missing row of their key is inserted with the claim, which saves a
    /// statement.
    private(set) var claimed: [LookalikeKey: Handle] = [:]

    init() {}

    /// - Parameters:
    ///   - handles: the handles to change.
    ///   - owner: the owner to lock.
    init(_ handles: Handle..., owner: Owner? = nil, in scope: Scope) {
        self.handles = Set(handles)
        if let owner { owners[scope.mark(of: owner)] = OwnerRow(owner: owner, claims: 0) }
    }

    /// The rows of a claim.
    init(claiming handle: Handle, for owner: Owner, _ mark: OwnerMark) {
        handles = [handle]
        owners[mark] = OwnerRow(owner: owner, claims: 1)
        claimed[LookalikeKey(handle)] = handle
    }

    /// The rows of a reservation.
    init(reserving handle: Handle, for owner: OwnerMark?) {
        handles = [handle]
        if let owner { promised = [owner] }
    }

    mutating func formUnion(_ other: Touches) {
        owners.merge(other.owners) { OwnerRow(owner: $0.owner, claims: $0.claims + $1.claims) }
        promised.formUnion(other.promised)
        handles.formUnion(other.handles)
        claimed.merge(other.claimed) { first, _ in first }
    }

    /// True if the locks write rows of claims that may be refused.
    var areWritten: Bool { !claimed.isEmpty }
}
