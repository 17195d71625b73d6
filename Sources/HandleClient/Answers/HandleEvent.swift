public import Foundation
public import HandleRules

/// A change of a name, as the feed reports it.
public struct HandleEvent: Sendable, Hashable {
    /// The kind of a change. A newer service may send actions that are not listed here, so a `switch` over an action
    /// needs a `default`. ``HandleEvent/to`` alone says what is true now.
    public struct Action: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
        private init(_ rawValue: String) { self.init(rawValue: rawValue) }

        /// Held for an owner.
        public static let held = Action("held")
        /// Claimed by an owner.
        public static let claimed = Action("claimed")
        /// Reserved by an admin or a moderator.
        public static let reserved = Action("reserved")
        /// Given to an owner by a moderator.
        public static let assigned = Action("assigned")
        /// Offered by its owner to another one.
        public static let offered = Action("offered")
        /// Only the capitals changed.
        public static let recased = Action("recased")
        /// Released, into quarantine or free.
        public static let released = Action("released")
        /// Given up in a rename, or taken in it; ``HandleEvent/related`` is the other name.
        public static let renamed = Action("renamed")
        /// The old name no longer leads to its former owner's present one.
        public static let forwardEnded = Action("forward_ended")
        /// The hold ended because its owner holds another name now.
        public static let moved = Action("moved")
        /// The hold, reservation or quarantine ended at its time.
        public static let expired = Action("expired")
        /// The reservation lost its owner, which was forgotten.
        public static let orphaned = Action("orphaned")
        /// Put back to what it was before its last change.
        public static let reverted = Action("reverted")
        /// Imported from another registry.
        public static let imported = Action("imported")
    }

    /// The number of the event. It grows in the order in which changes become visible.
    public let seq: Int
    /// The time of the change, by the clock of the service.
    public let at: Date
    /// The canonical handle.
    public let handle: Handle
    /// The handle with the capitals that the owner has chosen.
    public let display: DisplayHandle
    /// The kind of the change.
    public let action: Action
    /// The state before the change; nil for one that this version doesn't know.
    public let from: Handle.State?
    /// The state after the change; nil for one that this version doesn't know.
    public let to: Handle.State?
    /// The owner's id after the change; nil in quarantine, without an owner, and for an owner that was forgotten.
    public let owner: String?
    /// The owner's id before the change; nil without an owner, and for an owner that was forgotten.
    public let previousOwner: String?
    /// The other handle of a rename, or the protected handle for which an exception was made.
    public let related: Handle?
    /// When the state ends; nil when it has no end.
    public let until: Date?
    /// The version of the name after the change. The versions of one name come in their order.
    public let version: Int

    /// - Throws: ``Unreadable``
    init(_ wire: Wire) throws(Unreadable) {
        guard let handle = Handle(wire.handle), let display = DisplayHandle(wire.display), display.handle == handle,
            let at = Moment.read(wire.at)
        else { throw Unreadable() }
        seq = wire.seq
        self.at = at
        self.handle = handle
        self.display = display
        action = Action(rawValue: wire.action)
        from = Handle.State(rawValue: wire.from)
        to = Handle.State(rawValue: wire.to)
        owner = wire.owner
        previousOwner = wire.previous_owner
        related = wire.related.flatMap(Handle.init)
        until = try Moment.readIfPresent(wire.until)
        version = wire.version
    }

    struct Wire: Decodable {
        let seq: Int
        let at: String
        let handle: String
        let display: String
        let action: String
        let from: String
        let to: String
        let owner: String?
        let previous_owner: String?
        let related: String?
        let until: String?
        let version: Int
    }
}
