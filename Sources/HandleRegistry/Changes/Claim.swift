package import HandleCore
import HandleText

/// Gives a handle to an owner for good. Repeating it succeeds.
package struct Claim: Change {
    /// The handle as typed; its capitals become the display handle.
    let reading: Reading
    let owner: Owner
    /// The secret of a hold on the handle, with which any owner can claim it.
    let hold: String?
    /// True if the handle may look like a protected one.
    let allowsLookalike: Bool
    /// True if an admin gives the owner the reserved handle, whichever owner it is for; set only by ``Assign``.
    var isGivenReservation = false
    let cause: Cause
    package let number = newChange()

    /// - Parameter input: the handle as typed; its capitals become the display handle.
    package init(
        _ input: String, for owner: Owner, hold: String? = nil, allowingLookalike allowsLookalike: Bool = false,
        _ cause: Cause
    ) {
        reading = Reading(typed: input)
        self.owner = owner
        self.hold = hold
        self.allowsLookalike = allowsLookalike
        self.cause = cause
    }

    package func performed(by registry: Registry) async throws -> ChangeOutcome {
        guard let claims = registry.claims else { return try await registry.write(self) }
        return try await claims.perform(self)
    }

    package func outcomeAtOnce(_ words: ReservedWords) -> ChangeOutcome? {
        ChangeOutcome(refusingMalformed: reading, words)
    }

    package func touches(_ record: Record?, _ scope: Scope) -> Touches {
        guard let handle = reading.handle else { return Touches() }
        return Touches(claiming: handle, for: owner, scope.mark(of: owner))
    }

    package func plan(in rows: inout LockedRows) -> Plan<ChangeOutcome> {
        guard let display = reading.display else { return .refuse(.malformed(reading)) }
        let (handle, mark) = (display.handle, rows.scope.mark(of: owner))
        guard var account = rows.account(mark), var entry = rows.entry(of: handle) else {
            return .lock(touches(nil, rows.scope))
        }
        let record = rows.record(handle)
        if let record, record.change == number { return .commit(.done(record)) }
        let original = allowsLookalike ? entry.original(of: handle, under: rows.scope.policy.lookalikes) : nil
        if original != nil { entry.allow(handle, until: nil) }

        var asker = Asker(owner: owner, mark: mark, hold: hold, isGivenReservation: isGivenReservation)
        asker.note(account)
        let decision = Decision.decide(
            reading, word: reading.word(in: rows.scope.words), KnownName(record: record, lookalike: entry), for: asker,
            to: .claim, rows.scope.policy)
        guard decision.isAvailable else { return .refuse(.refused(.decision(decision))) }
        if let record, record.state == .claimed { return .commit(.already(record)) }

        let claimed = rows.write(
            display, .claimed, owner: owner,
            Step(.claimed, cause, number, of: mark, related: original))
        entry.note(handle, until: nil)
        rows.set(entry)
        account.claimed += 1
        account.quarantined.removeAll { $0 == handle }
        rows.set(account)
        return .commit(.done(claimed))
    }
}
