import HandleRules

/// Frees a reservation that has not changed since it was made.
struct Unreserve: Change {
    let handle: Handle
    /// The number of the change that made the reservation.
    let reserving: Int64
    let cause: Cause
    let number: Int64
    var goesByWords: Bool { false }

    func add(to touches: inout Touches, _ record: Record?, _ scope: Scope) { touches.add(handle) }

    func plan(in rows: inout LockedRows) -> Plan<ChangeOutcome> {
        guard let record = rows.record(handle) else { return .refuse(.refused(.notReserved(nil))) }
        if record.change == number { return .confirm(.done(record), record) }
        if record.isReserved(by: reserving) {
            return .commit(.done(rows.free(record, HistoryNote(.released, cause, number))))
        }
        return .refuse(.refused(record.whyNotUnreserved))
    }
}

extension Record {
    func isReserved(by change: Int64) -> Bool { state == .reserved && self.change == change }

    /// The refusal to free a reservation that is not the current one.
    var whyNotUnreserved: Refusal {
        if isFree { return .notReserved(nil) }
        return state == .reserved ? .notReserved(self) : .changed(self)
    }
}
