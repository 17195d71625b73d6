public import HandleCore

public import struct FoundationEssentials.Date

/// What the registry knows of one name.
public struct Record: Sendable, Hashable {
    public let display: DisplayHandle
    public let state: State
    /// Who holds or has it, or for whom it is reserved.
    public let owner: Owner?
    /// The mark of the one who had it before the quarantine.
    public let former: OwnerMark?
    /// The secret of a hold.
    public let hold: String?
    /// Why it is reserved.
    public let reason: String?
    /// Counts changes; it only grows.
    public let version: Int64
    /// The change that led here.
    let change: Int64
    /// When the state ends by itself.
    public let until: Date?
    public let changedAt: Date
    /// Whether that moment had passed, by the database's clock, when the record was read.
    let hasLapsed: Bool

    public var handle: Handle { display.handle }

    /// Whether nobody has the name any more.
    public var isFree: Bool { state == .free || hasLapsed }

    /// Whether an admin keeps it at the moment.
    var isReserved: Bool { state == .reserved && !hasLapsed }
}
