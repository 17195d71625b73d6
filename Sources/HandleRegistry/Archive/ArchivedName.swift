import HandleRules
import Postgres

import struct FoundationEssentials.Date

/// A handle as written in an archive, without the fields that have a meaning in one database only.
struct ArchivedName: Sendable {
    let display: DisplayHandle
    let state: Handle.State
    /// The owner that holds or has claimed the handle, or for which it is reserved; in quarantine, the former owner.
    /// Nil if there is none, or if its id was deleted.
    let owner: Owner?
    /// The mark of a former owner, if its id was deleted.
    let formerMark: OwnerMark?
    let reason: String?
    let since: Date
    let until: Date?
    /// True if look-alikes of the handle are refused.
    let isProtected: Bool
    /// True if the handle may look like a protected handle.
    let isExempt: Bool
    /// True if the handle, in quarantine, leads to its former owner's present one.
    let isForwarded: Bool
    /// Nil in an archive without history.
    let version: Int64?
    /// Empty in an archive without history.
    var events: [Event] = []

    var handle: Handle { display.handle }
}

extension ArchivedName {
    /// True if look-alikes of the handle are refused: the archive says so, or its history shows that the handle was
    /// reserved when its owner got it. So an export and an import mend a registry with a wrong look-alike key.
    var mustBeProtected: Bool {
        guard !isProtected, state == .claimed || state == .quarantined else { return isProtected }
        return Origin(of: events).state == .reserved
    }

    /// The mark of the former owner of a quarantined handle.
    func former(_ scope: Scope) -> OwnerMark? {
        state == .quarantined ? owner.map(scope.mark) ?? formerMark : nil
    }

    /// True if the record equals the archived handle.
    func isSame(as record: Record, _ scope: Scope) -> Bool {
        record.display == display && record.state == state && record.changedAt.isSameMoment(as: since)
            && record.until.isSameMoment(as: until) && record.reason == reason
            && record.isForwarded == isForwarded && record.owner == (state == .quarantined ? nil : owner)
            && record.former == former(scope)
    }
}
