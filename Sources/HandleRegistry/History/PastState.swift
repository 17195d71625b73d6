import HandleRules

import struct FoundationEssentials.Date

/// The state of a handle before its last change, from its history.
struct PastState: Sendable {
    private(set) var state = Handle.State.free
    private(set) var display: DisplayHandle?
    /// The mark of the owner, or in quarantine of the former owner.
    private(set) var owner: OwnerMark?
    /// The reason of a reservation.
    private(set) var reason: String?
    private(set) var until: Date?
    /// True if look-alikes of the handle were refused.
    private(set) var isProtected = false
}

extension PastState {
    /// - Parameters:
    ///   - record: the record after the change.
    ///   - events: the events of the handle, oldest first.
    init(before record: Record, _ events: [Event]) {
        let events = events.filter { $0.version < record.version }
        guard let last = events.last, last.to != .free, last.to != .held else { return }
        (state, display, owner, until) = (last.to, last.display, last.owner, last.until)
        // The events of orphaned and reverted reservations have other reasons.
        let reserving = events.last { $0.to == .reserved && $0.action != .orphaned && $0.action != .reverted }
        if state == .reserved { reason = reserving?.reason }
        // The history of an imported handle may not tell.
        isProtected =
            state == .reserved || Origin(of: events).state == .reserved
            || record.protection != nil && events.contains { $0.action == .imported }
    }

    /// True if the handle would count as free by now.
    func hasEnded(at now: Date) -> Bool { state == .free || until.map { $0 <= now } ?? false }
}
