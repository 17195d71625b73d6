package import HandleRules
package import HandleWords

/// Gives a handle to an owner for good. Repeating it succeeds.
package struct Claim: Change {
    /// The handle as typed; its capitals become the display handle.
    let reading: Reading
    let owner: Owner
    /// The secret of a hold on the handle, or of its owner's offer, with which any owner can claim it.
    let hold: String?
    /// True if the handle may look like a protected one.
    let allowsLookalike: Bool
    let precondition: Precondition
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

    /// Claims of reserved words are refused, unless the owner has or is promised the handle. An offered handle is taken
    /// from its owner.
    package func lookedUp(_ scope: Scope) -> Handle? {
        isOffered || reading.word(in: scope.words) != nil ? reading.handle : nil
    }

    private var isOffered: Bool { hold?.hasPrefix(Offer.prefix) ?? false }

    package func refusal(_ record: Record?, _ scope: Scope) -> ChangeOutcome? {
        guard reading.word(in: scope.words) != nil else { return nil }
        let decision = decision(on: KnownName(record.flatMap { NameInUse($0) }), nil, scope)
        return decision.isAvailable ? nil : .refused(.decision(decision))
    }

    package func add(to touches: inout Touches, _ record: Record?, _ scope: Scope) {
        if let handle = reading.handle { touches.addClaim(of: handle, for: owner, scope) }
        if isOffered { touches.addKeeper(of: record, scope) }
    }

    package func plan(in rows: inout LockedRows) -> Plan<ChangeOutcome> {
        guard let display = reading.display else { return .refuse(.malformed(reading)) }
        let handle = display.handle
        var account = rows.account(of: owner)
        let (record, known) = (rows.record(handle), rows.known(handle))
        if let record, record.change == number, record.owner == owner { return .confirm(.done(record), record) }
        var decision = decision(on: known, account, rows.scope)
        let original = allowsLookalike ? decision.original : nil
        if original != nil { decision = self.decision(on: KnownName(known.name), account, rows.scope) }
        guard decision.isAvailable else { return .refuse(.refused(.decision(decision))) }
        guard precondition.holds(for: record, rows.scope) else { return .refuse(.refused(.changed(record))) }
        if let record, record.state == .claimed {
            if record.owner == owner { return .confirm(.already(record), record) }
            // The handle may have been offered since it was looked up.
            guard rows.takeAway(record) else { return .lock(nil) }
            account = rows.account(of: owner)
        }

        let claimed = rows.write(
            display, .claimed, owner: owner, isAllowed: original != nil && !known.isProtected,
            HistoryNote(.claimed, cause, number, related: original))
        account.claimed += 1
        account.endQuarantine(of: handle)
        rows.set(account)
        return .commit(.done(claimed))
    }

    private func decision(on known: KnownName, _ account: Account?, _ scope: Scope) -> Decision {
        var caller = Decision.Caller(owner: owner, account, by: cause.actor, hold: hold, scope)
        caller.claimed = account?.claimed
        if hold != nil { caller.holder = known.name?.owner.map(scope.mark) }
        return .decide(reading, word: reading.word(in: scope.words), known, for: caller, to: .claim, scope.policy)
    }
}
