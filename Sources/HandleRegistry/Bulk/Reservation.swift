public import HandleCore

public import struct FoundationEssentials.Date

/// What an admin keeps a name for.
public struct Reservation: Sendable, Hashable {
    /// Why; kept with the name.
    public var reason: String
    /// Who may claim it, if anybody.
    public var owner: Owner?
    /// When it ends; nil for no end.
    public var until: Date?

    public init(reason: String, owner: Owner? = nil, until: Date? = nil) {
        self.reason = reason
        self.owner = owner
        self.until = until
    }
}

/// A name that is to be reserved, and for what.
public struct NameToReserve: Sendable {
    public let display: DisplayHandle
    public let reservation: Reservation

    public init(_ display: DisplayHandle, _ reservation: Reservation) {
        self.display = display
        self.reservation = reservation
    }

    var handle: Handle { display.handle }
    var key: LookalikeKey { LookalikeKey(display.letters) }
}

/// How a reservation ended.
public enum ReserveOutcome: Sendable {
    /// The name is reserved now. The names in use that look like it stay with their owners.
    case reserved(lookalikes: [Handle])
    /// It was reserved already, and stays as it is.
    case already
    /// The name can't be had; the verdict says why.
    case refused(Verdict)
}
