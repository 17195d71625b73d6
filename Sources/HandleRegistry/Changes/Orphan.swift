import HandleRules

/// Removes a deleted owner from a reservation, which stays.
struct Orphan: Change {
    /// The reservation as it was read.
    let record: Record
    let cause: Cause
    let number = newChange()
    var goesByWords: Bool { false }

    init(_ record: Record, _ cause: Cause) {
        self.record = record
        self.cause = cause
    }

    func add(to touches: inout Touches, _ known: Record?, _ scope: Scope) { touches.add(record.handle) }

    /// The outcome is false if the reservation has changed since it was read.
    func plan(in rows: inout LockedRows) -> Plan<Bool> {
        guard let current = rows.record(record.handle) else { return .refuse(false) }
        if current.change == number { return .confirm(true, current) }
        guard current.version == record.version, current.state == .reserved else { return .refuse(false) }
        rows.write(
            current.display, .reserved, reason: current.reason, until: current.until,
            HistoryNote(.orphaned, cause, number))
        return .commit(true)
    }
}
