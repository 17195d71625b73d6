package import HandleRules

package import struct FoundationEssentials.Date

/// A change of a handle, as stored in its history.
package struct Event: Sendable {
    /// The version of the record after the change.
    package let version: Int64
    package let at: Date
    package let actor: String
    package let action: Action
    package let from: Handle.State
    package let to: Handle.State
    package let display: DisplayHandle
    /// The mark of the owner after the change; in quarantine, of the former owner.
    package internal(set) var owner: OwnerMark?
    /// The owner's id; nil once it was deleted.
    package var ownerID: Owner?
    package let reason: String?
    /// The other handle of a rename, or the protected handle for which an exception was made.
    package let related: String?
    package let until: Date?

    package var handle: Handle { display.handle }

    package init(
        version: Int64, at: Date, actor: String, action: Action, from: Handle.State, to: Handle.State,
        display: DisplayHandle,
        owner: OwnerMark?, ownerID: Owner? = nil, reason: String?, related: String?, until: Date?
    ) {
        self.version = version
        self.at = at
        self.actor = actor
        self.action = action
        self.from = from
        self.to = to
        self.display = display
        self.owner = owner
        self.ownerID = ownerID
        self.reason = reason
        self.related = related
        self.until = until
    }

    package enum Action: String, Sendable, CaseIterable {
        case held, claimed, reserved
        /// Given to an owner by an admin.
        case assigned
        /// Offered by its owner to the holder of the offer's secret.
        case offered
        /// The owner's capitals changed.
        case recased
        /// Released: into quarantine, or free.
        case released
        /// Given up in a rename, or taken in it.
        case renamed
        /// An owner's old name no longer leads to the present one.
        case forwardEnded = "forward_ended"
        /// A hold ended because the owner holds another handle now.
        case moved
        /// Freed because its end had passed.
        case expired
        /// The reservation lost its owner, which was deleted.
        case orphaned
        /// Put back to what it was before its last change.
        case reverted
        /// Imported from another registry, without its history.
        case imported
    }
}
