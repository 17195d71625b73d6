import HandleCore

/// A name of an archive, and in one with history what happened to it.
struct NameToRestore: Sendable {
    let name: ArchivedName
    var events: [Event] = []

    /// Whether what looks like it can't be had, as the archive says or as its history does: its owner got it while it was
    /// reserved.
    var isProtected: Bool {
        guard !name.isProtected, name.state == .claimed || name.state == .quarantined else { return name.isProtected }
        var origin = Origin()
        for event in events {
            origin.follow(Origin.Step(from: event.from, to: event.to, at: event.at, until: event.until))
        }
        return origin.state == .reserved
    }
}

// What `verify` demands of a history.

extension Event {
    /// Whether it can come after another event of its name, or be the first one.
    func follows(_ previous: Event?) -> Bool {
        guard let previous else { return version == 1 || (action == .adopted && version > 0) }
        return version > 1 && version - 1 == previous.version && from == previous.to
            && at.microseconds >= previous.at.microseconds
    }

    /// Whether a name is what this event has made of it.
    func leads(to name: ArchivedName) -> Bool {
        version == name.version && to == name.state && display == name.display
            && at.microseconds == name.since.microseconds && until?.microseconds == name.until?.microseconds
            && isOf(name.owner, name.formerMark) && (!saysWhyReserved || reason == name.reason)
    }

    /// Not so when a reservation has lost its owner, for which there is another reason.
    private var saysWhyReserved: Bool { to == .reserved && (action == .reserved || action == .imported) }

    /// Whom a name is reserved for may be known to the name by id and to the event by mark only.
    private func isOf(_ id: Owner?, _ mark: OwnerMark?) -> Bool {
        guard let ownerID else { return owner == nil ? id == nil && mark == nil : mark == nil || mark == owner }
        return ownerID == id
    }
}
