import HandleRules
import Postgres

// The conditions that `verify` checks in a history.

extension Event {
    /// True if the event can follow `previous`, or be the first event of its handle.
    func follows(_ previous: Event?) -> Bool {
        guard let previous else { return version == 1 }
        return version > 1 && version - 1 == previous.version && from == previous.to
            && at.microsecondsSince1970 >= previous.at.microsecondsSince1970
    }

    /// True if the event leads to the archived state of the handle.
    func leads(to name: ArchivedName) -> Bool {
        version == name.version && to == name.state && display == name.display
            && at.isSameMoment(as: name.since) && until.isSameMoment(as: name.until)
            && isOf(name.owner, name.formerMark) && (!saysWhyReserved || reason == name.reason)
    }

    /// False for an orphaned reservation: its event has another reason than the reservation.
    var saysWhyReserved: Bool { to == .reserved && (action == .reserved || action == .imported) }

    /// The owner of a reservation may be known to the handle by id and to the event by mark only.
    private func isOf(_ id: Owner?, _ mark: OwnerMark?) -> Bool {
        guard let ownerID else { return owner == nil ? id == nil && mark == nil : mark == nil || mark == owner }
        return ownerID == id
    }
}
