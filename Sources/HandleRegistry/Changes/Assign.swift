package import HandleRules
package import HandleWords

/// Gives a handle to an owner, from any state. No other owner keeps a right on it. Repeating it succeeds.
///
/// Reserved words and limits of the owner don't count. Refused if the handle looks like a protected one of another owner.
package struct Assign: Change {
    private let reading: Reading
    private let owner: Owner
    /// True if the handle may look like a protected one of another owner.
    private let allowsLookalike: Bool
    private let precondition: Precondition
    private let cause: Cause
    package let number = newChange()

    /// - Parameters:
    ///   - input: the handle as typed; its capitals become the display handle.
    ///   - precondition: the condition on the handle, checked if the owner does not have it yet.
    package init(
        _ input: String, to owner: Owner, allowingLookalike allowsLookalike: Bool = false,
        if precondition: Precondition = .none, _ cause: Cause
    ) {
        reading = Reading(typed: input)
        self.owner = owner
        self.allowsLookalike = allowsLookalike
        self.precondition = precondition
        self.cause = cause
    }

    package func outcomeAtOnce(_ words: ReservedWords) -> ChangeOutcome? {
        ChangeOutcome(refusingMalformed: reading, words)
    }

    package func lookedUp(_ scope: Scope) -> Handle? { reading.handle }

    package func add(to touches: inout Touches, _ record: Record?, _ scope: Scope) {
        if let handle = reading.handle { touches.add(handle) }
        touches.addReceiving(owner, scope)
        touches.addKeeper(of: record, scope)
    }

    package func plan(in rows: inout LockedRows) -> Plan<ChangeOutcome> {
        guard let display = reading.display else { return .refuse(.malformed(reading)) }
        let handle = display.handle
        let (record, known) = (rows.record(handle), rows.known(handle))
        if let record, record.change == number { return .confirm(.done(record), record) }
        if let record, record.state == .claimed, record.owner == owner { return .confirm(.already(record), record) }
        guard precondition.holds(for: record, rows.scope) else { return .refuse(.refused(.changed(record))) }
        var decision = decision(on: known, rows.scope)
        let original = allowsLookalike ? decision.original : nil
        if original != nil { decision = self.decision(on: KnownName(known.name), rows.scope) }
        guard decision.isAvailable else { return .refuse(.refused(.decision(decision))) }

        // The handle may have got another owner since it was looked up.
        guard record.map({ rows.takeAway($0) }) ?? true else { return .lock(nil) }
        var account = rows.account(of: owner)
        account.claimed += 1
        rows.set(account)
        return .commit(
            .done(
                rows.write(
                    display, .claimed, owner: owner, isAllowed: original != nil && !known.isProtected,
                    HistoryNote(.assigned, cause, number, related: original))))
    }

    private func decision(on known: KnownName, _ scope: Scope) -> Decision {
        .decide(
            reading, word: nil, known, for: Decision.Caller(owner: owner, mark: scope.mark(of: owner)), to: .assign,
            scope.policy)
    }
}
