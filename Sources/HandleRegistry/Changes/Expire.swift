import HandleRules

/// Frees a lapsed handle. This is housekeeping: a lapsed handle counts as free anyway.
struct Expire: Change {
    /// The record as it was read.
    let record: Record
    let number = newChange()
    var goesByWords: Bool { false }

    init(_ record: Record) { self.record = record }

    func add(to touches: inout Touches, _ known: Record?, _ scope: Scope) { touches.add(record.handle) }

    /// The outcome is false if the handle has changed since it was read.
    func plan(in rows: inout LockedRows) -> Plan<Bool> {
        guard let current = rows.record(record.handle) else { return .refuse(false) }
        if current.change == number { return .confirm(true, current) }
        guard current.version == record.version else { return .refuse(false) }
        rows.free(current, HistoryNote(.expired, Cause(by: .registry), number))
        return .commit(true)
    }
}
