package import HandleCore

package import struct FoundationEssentials.Date

/// What the registry knows of one name.
package struct Record: Sendable, Hashable {
    package let display: DisplayHandle
    package let state: State
    /// Who holds or has it, or for whom it is reserved.
    package let owner: Owner?
    /// The mark of the one who had it before the quarantine.
    package let former: OwnerMark?
    /// The secret of a hold.
    package let hold: String?
    /// Why it is reserved.
    package let reason: String?
    /// Counts changes; it only grows.
    package let version: Int64
    /// The change that led here.
    let change: Int64
    /// When the state ends by itself.
    package let until: Date?
    package let changedAt: Date
    /// Whether that moment had passed, by the database's clock, when the record was read.
    let hasLapsed: Bool

    package var handle: Handle { display.handle }

    /// Whether nobody has the name any more.
    package var isFree: Bool { state == .free || hasLapsed }

    /// Whether an admin keeps it at the moment.
    var isReserved: Bool { state == .reserved && !hasLapsed }
}
