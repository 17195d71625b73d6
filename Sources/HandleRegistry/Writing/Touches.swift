import HandleRules
import HandleWords

/// The rows that changes need locked: those of owners, and all those with the look-alike keys of handles.
package struct Touches: Sendable {
    struct OwnerRow: Sendable {
        /// The owner's id, to be stored, if it is about to get a handle. An owner that loses one may have been forgotten
        /// meanwhile.
        var id: String?
        /// Handles that the owner is about to claim. The lock counts them already, which saves a statement.
        var claims: Int64
    }

    /// The owners to lock. A missing row is inserted.
    private(set) var owners: [OwnerMark: OwnerRow] = [:]
    /// The owners to lock if they have a row: a reservation alone needs none.
    private(set) var promised: Set<OwnerMark> = []
    private(set) var handles: Set<Handle> = []
    /// Handles that owners are about to hold. The ends of their last holds are read.
    private(set) var held: [Handle: OwnerMark] = [:]
    /// The marks that were computed for these owners.
    private(set) var marks: [Owner: OwnerMark] = [:]

    /// The look-alike keys of the handles, in the lock order.
    var keys: [LookalikeKey] { Set(handles.map { LookalikeKey($0) }).sorted() }

    mutating func add(_ handle: Handle) { handles.insert(handle) }

    /// Adds the account of an owner that is about to get a handle.
    /// - Parameter claims: the number of handles that it is about to claim.
    mutating func addReceiving(_ owner: Owner, claims: Int64 = 0, _ scope: Scope) {
        let mark = mark(of: owner, scope)
        owners[mark, default: OwnerRow(claims: 0)].claims += claims
        owners[mark]?.id = owner.id
    }

    /// Adds the account of an owner that is about to lose a handle.
    mutating func addLosing(_ owner: Owner, _ scope: Scope) {
        add(mark(of: owner, scope))
    }

    /// Adds the account that counts a handle, which is about to be taken away.
    /// - Parameter record: the record as it was read without a lock.
    mutating func addKeeper(of record: Record?, _ scope: Scope) {
        if let mark = record?.keeper(scope) { add(mark) }
    }

    /// Adds the account with a mark, of an owner that may have been forgotten.
    mutating func add(_ mark: OwnerMark) { owners[mark, default: OwnerRow(claims: 0)].claims += 0 }

    /// Adds a handle that an owner is about to claim.
    mutating func addClaim(of handle: Handle, for owner: Owner, _ scope: Scope) {
        add(handle)
        addReceiving(owner, claims: 1, scope)
    }

    /// Adds a handle that an owner is about to hold.
    mutating func addHold(of handle: Handle, for owner: Owner, _ scope: Scope) {
        add(handle)
        addReceiving(owner, scope)
        held[handle] = mark(of: owner, scope)
    }

    /// Adds an owner that a handle is about to be reserved for.
    mutating func addPromised(_ owner: Owner, _ scope: Scope) { promised.insert(mark(of: owner, scope)) }

    /// The same rows, without the claims that a lock would count.
    var uncounted: Touches {
        var touches = self
        for mark in owners.keys { touches.owners[mark]?.claims = 0 }
        return touches
    }

    private mutating func mark(of owner: Owner, _ scope: Scope) -> OwnerMark {
        if let mark = marks[owner] { return mark }
        let mark = scope.mark(of: owner)
        marks[owner] = mark
        return mark
    }
}
