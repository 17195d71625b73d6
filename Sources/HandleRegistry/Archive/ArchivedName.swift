package import HandleRules
import Postgres

package import struct FoundationEssentials.Date

/// A handle as written in an archive, without the fields that have a meaning in one database only.
package struct ArchivedName: Sendable, Equatable {
    package let display: DisplayHandle
    package let state: State
    /// The owner that holds or has claimed the handle, or for which it is reserved; in quarantine, the former owner.
    /// Nil if there is none, or if its id was deleted.
    package let owner: Owner?
    /// The mark of a former owner, if its id was deleted.
    package let formerMark: OwnerMark?
    /// The position among the handles quarantined for the same former owner, oldest first, from 0.
    package let place: Int?
    package let reason: String?
    package let since: Date
    package let until: Date?
    /// True if look-alikes of the handle are refused.
    package let isProtected: Bool
    /// True if the handle may look like a protected handle.
    package let isExempt: Bool
    /// Nil in an archive without history.
    package let version: Int64?

    package var handle: Handle { display.handle }

    package init(
        display: DisplayHandle, state: State, owner: Owner?, formerMark: OwnerMark?, place: Int?, reason: String?,
        since: Date, until: Date?, isProtected: Bool, isExempt: Bool, version: Int64?
    ) {
        self.display = display
        self.state = state
        self.owner = owner
        self.formerMark = formerMark
        self.place = place
        self.reason = reason
        self.since = since
        self.until = until
        self.isProtected = isProtected
        self.isExempt = isExempt
        self.version = version
    }
}

extension ArchivedName {
    /// The mark of the former owner of a quarantined handle.
    func former(_ scope: Scope) -> OwnerMark? {
        state == .quarantined ? owner.map(scope.mark) ?? formerMark : nil
    }

    /// True if the record equals the archived handle.
    func isSame(as record: Record, _ scope: Scope) -> Bool {
        record.display == display && record.state == state && record.changedAt.isSameMoment(as: since)
            && record.until.isSameMoment(as: until) && record.reason == reason
            && record.owner == (state == .quarantined ? nil : owner) && record.former == former(scope)
    }
}
