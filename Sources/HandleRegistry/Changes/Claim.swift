package import HandleRules
package import HandleWords

/// Gives a handle to an owner for good. Repeating it succeeds.
package struct Claim: Change {
    /// The handle as typed; its capitals become the display handle.
    let reading: Reading
    let owner: Owner
    /// The secret of a hold on the handle, with which any owner can claim it.
    let hold: String?
    /// True if the handle may look like a protected one.
    let allowsLookalike: Bool
    let precondition: Precondition
    /// The intent to claim the handle; ``Assign`` sets its own.
    var intent = Decision.Intent.claim
    let cause: Cause
    package let number = newChange()

    /// Nil for a malformed handle.
    var handle: Handle? { reading.handle }

    /// - Parameters:
    ///   - input: the handle as typed; its capitals become the display handle.
    ///   - precondition: the condition on the handle, checked if the owner can have it.
    package init(
        _ input: String, for owner: Owner, hold: String? = nil, allowingLookalike allowsLookalike: Bool = false,
        if precondition: Precondition = .none, _ cause: Cause
    ) {
        reading = Reading(typed: input)
        self.owner = owner
        self.hold = hold
        self.allowsLookalike = allowsLookalike
        self.precondition = precondition
        self.cause = cause
    }

    package func performed(by registry: Registry) async throws -> ChangeOutcome {
        try await registry.claims.perform(self)
    }

    package func outcomeAtOnce(_ words: ReservedWords) -> ChangeOutcome? {
        ChangeOutcome(refusingMalformed: reading, words)
    }

    /// Claims of reserved words are refused, unless the owner has or is promised the handle.
    package func lookedUp(_ scope: Scope) -> Handle? { reading.word(in: scope.words) == nil ? nil : reading.handle }

    package func refusal(_ record: Record?, _ scope: Scope) -> ChangeOutcome? {
        guard reading.word(in: scope.words) != nil else { return nil }
        let decision = decision(on: KnownName(record.flatMap { NameInUse($0) }), nil, scope)
        return decision.isAvailable ? nil : .refused(.decision(decision))
    }

    package func add(to touches: inout Touches, _ record: Record?, _ scope: Scope) {
        if let handle = reading.handle { touches.addClaim(of: handle, for: owner, scope) }
    }

    package func plan(in rows: inout LockedRows) -> Plan<ChangeOutcome> {
        guard let display = reading.display else { return .refuse(.malformed(reading)) }
        let handle = display.handle
        var account = rows.account(of: owner)
        let (record, known) = (rows.record(handle), rows.known(handle))
        if let record, record.change == number { return .confirm(.done(record), record) }
        var decision = decision(on: known, account, rows.scope)
        let original = allowsLookalike ? decision.original : nil
        if original != nil { decision = self.decision(on: KnownName(known.name), account, rows.scope) }
        guard decision.isAvailable else { return .refuse(.refused(.decision(decision))) }
        guard precondition.holds(for: record, rows.scope) else { return .refuse(.refused(.changed(record))) }
        if let record, record.state == .claimed { return .confirm(.already(record), record) }

        let claimed = rows.write(
            display, .claimed, owner: owner, isAllowed: original != nil && !known.isProtected,
            HistoryNote(.claimed, cause, number, related: original))
        account.claimed += 1
        account.quarantined.removeAll { $0 == handle }
        rows.set(account)
        return .commit(.done(claimed))
    }

    private func decision(on known: KnownName, _ account: Account?, _ scope: Scope) -> Decision {
        var caller = Decision.Caller(owner: owner, mark: account?.mark ?? scope.mark(of: owner), hold: hold)
        caller.claimed = account?.claimed
        if hold != nil { caller.holder = known.name?.owner.map(scope.mark) }
        return .decide(reading, word: reading.word(in: scope.words), known, for: caller, to: intent, scope.policy)
    }
}
