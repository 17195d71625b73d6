import HandleRules

// The ways in which an owner loses a handle.

extension LockedRows {
    @discardableResult
    mutating func free(_ record: Record, _ note: HistoryNote) -> Record { write(record.display, .free, note) }

    /// Puts a claimed handle into quarantine for its former owner, or frees it if the policy has no quarantine.
    @discardableResult
    mutating func quarantine(
        _ record: Record, for mark: OwnerMark, forwarding isForwarded: Bool = false, _ note: HistoryNote
    ) -> Record {
        guard scope.policy.quarantine > .zero else {
            return free(record, HistoryNote(note.action, note.cause, note.number))
        }
        let end = now(after: scope.policy.quarantine)
        var account = account(mark)
        account.noteQuarantine(record.handle, until: end)
        set(account)
        return write(record.display, .quarantined, former: mark, until: end, isForwarded: isForwarded, note)
    }

    /// Takes a handle out of the account that counts it, if there is one. The caller then writes its record.
    /// - Returns: false if that account is not locked; nothing has changed then.
    mutating func takeAway(_ record: Record) -> Bool {
        guard let mark = record.keeper(scope) else { return true }
        guard hasLocked(mark) else { return false }
        var account = account(mark)
        if record.state == .claimed { account.claimed -= 1 }
        account.endHold(of: record.handle)
        account.endQuarantine(of: record.handle)
        set(account)
        return true
    }
}
