package import HandleCore

package import struct FoundationEssentials.Date

/// What an admin keeps a name for.
package struct Reservation: Sendable, Hashable {
    /// Why; kept with the name.
    package var reason: String
    /// Who may claim it, if anybody.
    package var owner: Owner?
    /// When it ends; nil for no end.
    package var until: Date?

    package init(reason: String, owner: Owner? = nil, until: Date? = nil) {
        self.reason = reason
        self.owner = owner
        self.until = until
    }
}

/// A name that is to be reserved, and for what.
package struct NameToReserve: Sendable {
    package let display: DisplayHandle
    package let reservation: Reservation

    package init(_ display: DisplayHandle, _ reservation: Reservation) {
        self.display = display
        self.reservation = reservation
    }

    var handle: Handle { display.handle }
    var key: LookalikeKey { LookalikeKey(display.letters) }
}

/// How a reservation ended.
package enum ReserveOutcome: Sendable {
    /// The name is reserved now. The names in use that look like it stay with their owners.
    case reserved(lookalikes: [Handle])
    /// It was reserved already, and stays as it is.
    case already
    /// The name can't be had; the verdict says why.
    case refused(Verdict)
}
