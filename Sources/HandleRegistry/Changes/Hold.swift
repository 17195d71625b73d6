package import HandleRules
package import HandleWords

/// Keeps a handle for an owner for a limited time. An owner holds one handle at a time: a second hold ends the first.
/// Repeating it returns the same hold with the same end.
package struct Hold: Change {
    private let reading: Reading
    let owner: Owner
    /// Length of the hold; nil for the policy's default.
    let duration: Duration?
    let cause: Cause
    package let number = newChange()
    private let secret = Secret.random(prefix: "hold_")

    /// - Parameters:
    ///   - input: the handle as typed; its capitals become the display handle.
    ///   - duration: within ``Policy/holdRange``; nil for the policy's default.
    package init(_ input: String, for owner: Owner, lasting duration: Duration? = nil, _ cause: Cause) {
        precondition(duration.map(Policy.holdRange.contains) ?? true, "the caller must check the duration")
        reading = Reading(typed: input)
        self.owner = owner
        self.duration = duration
        self.cause = cause
    }

    package func outcomeAtOnce(_ words: ReservedWords) -> ChangeOutcome? {
        ChangeOutcome(refusingMalformed: reading, words)
    }

    package func add(to touches: inout Touches, _ record: Record?, _ scope: Scope) {
        if let handle = reading.handle { touches.addHold(of: handle, for: owner, scope) }
    }

    package func plan(in rows: inout LockedRows) -> Plan<ChangeOutcome> {
        guard let display = reading.display else { return .refuse(.malformed(reading)) }
        let (handle, policy) = (display.handle, rows.scope.policy)
        var account = rows.account(of: owner)
        var caller = Decision.Caller(owner: owner, account, by: cause.actor, rows.scope)
        caller.claimed = account.claimed
        let record = rows.record(handle)
        if let record, record.change == number { return .confirm(.done(record), record) }

        // The decision is about the handle as it is once the other hold has ended: the two may look alike.
        var after = rows
        if let left = account.heldName, left != handle {
            guard rows.hasLocked(left) else { return .lock(left) }
            if let record = rows.record(left), record.state == .held, record.owner == owner, !record.isFree {
                after.free(record, HistoryNote(.moved, cause, number))
            }
            account.endHold(of: left)
        }
        let decision = Decision.decide(
            reading, word: reading.word(in: rows.scope.words), after.known(handle), for: caller, to: .hold, policy)
        guard decision.isAvailable else { return .refuse(.refused(.decision(decision))) }
        // Only the owner's own hold is available although it is not free.
        if let record, !record.isFree { return .confirm(.already(record), record) }
        if let end = rows.pauseEnd(of: handle) { return .refuse(.refused(.paused(until: end))) }

        let end = rows.now(after: duration ?? policy.hold)
        let held = after.write(
            display, .held, owner: owner, hold: secret, until: end, HistoryNote(.held, cause, number))
        account.noteHold(handle, until: end)
        after.set(account)
        rows = after
        return .commit(.done(held))
    }
}
