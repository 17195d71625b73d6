package import HandleRules
package import HandleWords

/// Gives an owner a new handle in place of a claimed one. A change of capitals only is a ``Recase``, always allowed.
package struct Rename: Change {
    let old: Handle
    /// The new handle as typed.
    private let reading: Reading
    let owner: Owner
    let precondition: Precondition
    let cause: Cause
    package let number = newChange()

    /// - Parameters:
    ///   - input: the new handle as typed; its capitals become the display handle.
    ///   - precondition: the condition on the old handle.
    package init(
        _ old: Handle, to input: String, for owner: Owner, if precondition: Precondition = .none, _ cause: Cause
    ) {
        self.old = old
        reading = Reading(typed: input)
        self.owner = owner
        self.precondition = precondition
        self.cause = cause
    }

    package func outcomeAtOnce(_ words: ReservedWords) -> ChangeOutcome? {
        ChangeOutcome(refusingMalformed: reading, words)
    }

    package func add(to touches: inout Touches, _ record: Record?, _ scope: Scope) {
        touches.add(old)
        if let new = reading.handle { touches.add(new) }
        touches.addReceiving(owner, scope)
    }

    package func plan(in rows: inout LockedRows) -> Plan<ChangeOutcome> {
        guard let display = reading.display else { return .refuse(.malformed(reading)) }
        let new = display.handle
        let account = rows.account(of: owner)
        guard new != old else {
            return Recase(display, of: owner, if: precondition, cause, number: number).plan(in: &rows)
        }
        guard let record = rows.record(old), record.state == .claimed, record.owner == owner else {
            return planWithoutOld(new, rows)
        }
        guard precondition.holds(for: record, rows.scope) else { return .refuse(.refused(.changed(record))) }
        let caller = Decision.Caller(owner: owner, mark: account.mark)

        // The decision is about the handle as it is once the old one is given up.
        var after = rows
        if let displaced = giveUp(record, for: new, account, &after) { return .lock(displaced) }
        let decision = Decision.decide(
            reading, word: reading.word(in: rows.scope.words), after.known(new, without: old), for: caller,
            to: .rename, rows.scope.policy)
        guard decision.isAvailable else { return .refuse(.refused(.decision(decision))) }
        let renamed = after.write(display, .claimed, owner: owner, HistoryNote(.renamed, cause, number, related: old))
        rows = after
        return .commit(.done(renamed))
    }

    /// The outcome if the owner has not claimed the old handle, perhaps because this rename was made before.
    private func planWithoutOld(_ new: Handle, _ rows: LockedRows) -> Plan<ChangeOutcome> {
        if let record = rows.record(new), record.state == .claimed, record.owner == owner {
            return .confirm(record.change == number ? .done(record) : .already(record), record)
        }
        let other = rows.record(old).flatMap { $0.isFree ? nil : $0 }
        return .refuse(.refused(other.map { .notOwner($0) } ?? .notClaimed))
    }

    /// Puts the old handle into quarantine, and notes in the account that the new one takes its place.
    /// - Returns: a handle that has to be locked first; nil if it is done.
    private func giveUp(
        _ record: Record, for new: Handle, _ account: Account, _ rows: inout LockedRows
    ) -> Handle? {
        var account = account
        account.quarantined.removeAll { $0 == new }
        if let displaced = account.noteQuarantine(old, rows.scope.policy) {
            guard rows.hasLocked(displaced) else { return displaced }
            rows.endQuarantine(of: displaced, account.mark, HistoryNote(.displaced, cause, number))
        }
        rows.quarantine(record, for: account.mark, HistoryNote(.renamed, cause, number, related: new))
        if account.heldName == new { account.endHold(of: new) }
        rows.set(account)
        return nil
    }
}
