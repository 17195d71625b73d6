public import Foundation

/// Whether an owner is locked: it can't get, change, offer or release names. Without a lock, the details are nil.
public struct HandleOwnerLock: Sendable, Hashable {
    /// The owner's id.
    public let owner: String
    /// Whether the owner is locked now.
    public let isLocked: Bool
    /// The end of the lock; nil for none.
    public let until: Date?
    /// The reason of the lock.
    public let reason: String?
    /// The moderator, as the history names it.
    public let actor: String?
    /// When the lock began, by the clock of the service.
    public let since: Date?

    /// - Throws: ``Unreadable``, also when it is about another owner than `expected`.
    init(_ wire: Wire, of expected: String) throws(Unreadable) {
        guard wire.owner.utf8.elementsEqual(expected.utf8) else { throw Unreadable() }
        owner = wire.owner
        isLocked = wire.locked
        until = try Moment.readIfPresent(wire.until)
        reason = wire.reason
        actor = wire.actor
        since = try Moment.readIfPresent(wire.since)
    }

    struct Wire: Decodable {
        let owner: String
        let locked: Bool
        let until: String?
        let reason: String?
        let actor: String?
        let since: String?
    }
}
