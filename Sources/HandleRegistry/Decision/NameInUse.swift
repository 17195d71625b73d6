import HandleRules

import struct FoundationEssentials.Date

/// A handle in use, with what decisions about it and its look-alikes need.
struct NameInUse: Sendable {
    let handle: Handle
    let state: Handle.State
    /// The owner that holds or has claimed the handle, or for which it is reserved.
    let owner: Owner?
    /// The mark of the former owner, in quarantine.
    let former: OwnerMark?
    /// The secret of a hold, or of its owner's offer.
    let hold: String?
    /// The place among the protected handles of the key; nil for a handle that is not protected.
    let protection: Int32?
    /// True if an admin has allowed the handle in spite of its look-alikes.
    let isExempt: Bool
    /// True if the state ends by itself.
    let ends: Bool
    let changedAt: Date
    /// The place among the handles of the key.
    let place: Int32
}

extension NameInUse {
    /// Nil for the record of a free handle.
    init?(_ record: Record) {
        guard !record.isFree else { return nil }
        self.init(
            handle: record.handle, state: record.state, owner: record.owner, former: record.former,
            hold: record.hold ?? record.offer?.secret,
            protection: record.protection, isExempt: record.isExempt, ends: record.until != nil,
            changedAt: record.changedAt, place: record.place)
    }
}
