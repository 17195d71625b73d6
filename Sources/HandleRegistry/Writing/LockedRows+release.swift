import HandleRules

// The ways in which an owner loses a handle.

extension LockedRows {
    @discardableResult
    mutating func free(_ record: Record, _ note: HistoryNote) -> Record { write(record.display, .free, note) }

    /// Puts a claimed handle into quarantine for its former owner, or frees it if the policy has no quarantine.
    @discardableResult
    mutating func quarantine(_ record: Record, for mark: OwnerMark, _ note: HistoryNote) -> Record {
        guard scope.policy.quarantine > .zero else {
            return free(record, HistoryNote(note.action, note.cause, note.number))
        }
        return write(
            record.display, .quarantined, former: mark, until: now(after: scope.policy.quarantine), note)
    }

    /// Frees a handle, if it is still in quarantine for its former owner.
    mutating func endQuarantine(of handle: Handle, _ mark: OwnerMark, _ note: HistoryNote) {
        guard let record = record(handle), record.state == .quarantined, record.former == mark, !record.isFree else {
            return
        }
        free(record, note)
    }
}
