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
    /// The reservation of the old handle, which is taken from the owner; nil to put it into quarantine.
    private let kept: Reservation?
    /// True if the old handle leads to the owner's present one, while it is in quarantine.
    private let isForwarded: Bool
    package let number = newChange()

    /// - Parameters:
    ///   - input: the new handle as typed; its capitals become the display handle.
    ///   - reason: the reason to reserve the old handle, so that its owner can't go back; nil to put it into quarantine.
    ///     For admins only.
    ///   - isForwarded: true if the old handle, while it is in quarantine, leads to the owner's present one.
    ///   - precondition: the condition on the old handle.
    package init(
        _ old: Handle, to input: String, for owner: Owner, takingBecause reason: String? = nil,
        forwarding isForwarded: Bool = false, if precondition: Precondition = .none, _ cause: Cause
    ) {
        self.old = old
        kept = reason.map { Reservation(reason: $0) }
        self.isForwarded = isForwarded
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
        var caller = Decision.Caller(owner: owner, account, by: cause.actor, rows.scope)
        // Then the owner has no handle more in quarantine.
        if kept != nil { caller.wait = nil }

        // The decision is about the handle as it is once the old one is given up.
        var after = rows
        giveUp(record, for: new, account, &after)
        let decision = Decision.decide(
            reading, word: reading.word(in: rows.scope.words), after.known(new, without: kept == nil ? old : nil),
            for: caller, to: .rename, rows.scope.policy)
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

    /// Puts the old handle into quarantine, or reserves it, and notes in the account that the new one takes its place.
    private func giveUp(_ record: Record, for new: Handle, _ account: Account, _ rows: inout LockedRows) {
        var account = account
        account.endQuarantine(of: new)
        account.endHold(of: new)
        rows.set(account)
        let note = HistoryNote(.renamed, cause, number, related: new)
        if let kept {
            rows.write(record.display, .reserved, reason: kept.reason, note)
        } else {
            rows.quarantine(record, for: account.mark, forwarding: isForwarded, note)
        }
    }
}
