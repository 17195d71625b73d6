package import HandleCore

package import struct FoundationEssentials.Date

/// Reason, owner and end of a reservation.
package struct Reservation: Sendable, Hashable {
    /// Stored with the record.
    package var reason: String
    /// The owner that may claim the handle, if any.
    package var owner: Owner?
    /// End of the reservation; nil for none.
    package var until: Date?

    package init(reason: String, owner: Owner? = nil, until: Date? = nil) {
        self.reason = reason
        self.owner = owner
        self.until = until
    }
}

/// A handle to reserve, with its reservation.
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

/// Outcome of a reservation.
package enum ReserveOutcome: Sendable {
    /// The handle is reserved now. Look-alikes in use stay with their owners.
    case reserved(lookalikes: [Handle])
    /// It was reserved already, and stays as it is.
    case already
    /// The handle is refused; the verdict has the reasons.
    case refused(Verdict)
}
