package import HandleRules

package import struct FoundationEssentials.Date

/// A row of the table `names`.
package struct Record: Sendable, Hashable {
    package let display: DisplayHandle
    package let state: Handle.State
    /// The owner that holds or has claimed the handle, or for which it is reserved.
    package let owner: Owner?
    /// The mark of the former owner, in quarantine.
    package let former: OwnerMark?
    /// The secret of a hold.
    package let hold: String?
    /// The reason of a reservation.
    package let reason: String?
    /// The owner's offer of a claimed handle to others, until it ends.
    package var offer: Offered?
    /// Increases with every change.
    package let version: Int64
    /// The number of the last change.
    let change: Int64
    /// The time at which the state ends by itself.
    package let until: Date?
    package let changedAt: Date
    /// The handle's place among those with its look-alike key, from 0.
    let place: Int32
    /// The place among the protected handles of the key; nil for a handle that is not protected.
    let protection: Int32?
    /// True if an admin has allowed the handle in spite of its look-alikes.
    let isExempt: Bool
    /// True if the handle, in quarantine after a rename, leads to its former owner's present one.
    package var isForwarded = false
    /// True if `until` had passed, by the database's clock, when the record was read.
    var hasLapsed: Bool

    package var handle: Handle { display.handle }

    package var isFree: Bool { state == .free || hasLapsed }

    /// True if the handle is reserved at the moment.
    var isReserved: Bool { state == .reserved && !hasLapsed }

    /// The owner that holds or has claimed the handle, or for which it is in quarantine; nil if no account counts it.
    func keeper(_ scope: Scope) -> OwnerMark? {
        if isFree || state == .reserved { return nil }
        return former ?? owner.map(scope.mark)
    }

    /// An offer of a handle to the holder of a secret.
    package struct Offered: Sendable, Hashable {
        package let secret: String
        package let end: Date
    }
}

extension [Record] {
    var byHandle: [Handle: Record] { Dictionary(map { ($0.handle, $0) }) { first, _ in first } }
}
