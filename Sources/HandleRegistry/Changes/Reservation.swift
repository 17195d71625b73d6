package import HandleRules
import HandleWords

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

/// The outcome for a handle to reserve.
package struct Reserved: Sendable, Equatable {
    /// A handle that is reserved already stays as it is, with its reason, owner and end.
    package let outcome: ChangeOutcome
    /// The protected handle that a handle reserved now looks like, kept for the same owner, or for the operator as well.
    package let original: Handle?
    /// Other look-alikes of a handle reserved now that are in use. They stay with their owners.
    package let lookalikes: [Handle]

    init(_ outcome: ChangeOutcome, original: Handle? = nil, lookalikes: [Handle] = []) {
        self.outcome = outcome
        self.original = original
        self.lookalikes = lookalikes
    }
}

extension NameToReserve {
    /// The record of the reservation, as the first handle with its look-alike key.
    func record(version: Int64, change: Int64, at now: Date) -> Record {
        Record(
            display: display, state: .reserved, owner: reservation.owner, former: nil, hold: nil,
            reason: reservation.reason, version: version, change: change, until: reservation.until, changedAt: now,
            place: 0, protection: 1, isExempt: false, hasLapsed: false)
    }
}
