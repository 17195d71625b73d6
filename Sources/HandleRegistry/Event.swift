package import HandleCore

package import struct FoundationEssentials.Date

/// Something that happened to a name.
package struct Event: Sendable {
    /// The name's version that it led to.
    package let version: Int64
    package let at: Date
    package let actor: String
    package let action: Action
    package let from: State
    package let to: State
    package let display: DisplayHandle
    /// Who has the name after it, or had it before the quarantine.
    package internal(set) var owner: OwnerMark?
    /// The owner's id, while it is known.
    package internal(set) var ownerID: Owner?
    package let reason: String?
    /// The other name of a rename, or the protected name that an exception was made for.
    package let related: String?
    package let until: Date?

    package enum Action: String, Sendable, CaseIterable {
        case held, claimed, reserved
        /// The owner's capitals changed.
        case recased
        /// Given up: into quarantine, or free.
        case released
        /// Given up for another name, or taken for it.
        case renamed
        /// Given up because its owner holds another name now.
        case moved
        /// Free because its owner gave up more names than are kept for one.
        case displaced
        /// Free because its time had passed.
        case expired
        /// Kept, but not for an owner any more, who was deleted.
        case orphaned
        /// There before its history was kept.
        case adopted
        /// Brought from another registry, without its history.
        case imported
    }
}
