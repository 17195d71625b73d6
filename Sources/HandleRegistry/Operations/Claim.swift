package import HandleCore
import HandleText
package import Postgres

/// Gives a handle to an owner for good. Repeating it succeeds.
package struct Claim: Operation {
    /// The handle as typed; its capitals become the display handle.
    let reading: Reading
    let owner: Owner
    /// The secret of a hold on the handle, with which any owner can claim it.
    let hold: String?
    /// True if the handle may look like a protected one.
    let allowsLookalike: Bool
    /// The version of a reservation to take, whichever owner it is for; set only by ``Assign``.
    var reservation: Int64?
    let cause: Cause
    let change = newChange()

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
        guard let claims = registry.claims else { return try await registry.performAlone(self) }
        return try await claims.perform(self)
    }

    package func outcomeAtOnce(_ words: ReservedWords) -> ChangeOutcome? {
        ChangeOutcome(refusingMalformed: reading, words)
    }

    package func attempt(in scope: Scope, _ transaction: inout Transaction) async throws -> Attempt<ChangeOutcome> {
        let mark = scope.mark(of: owner)
        var asker = Asker(owner: owner, mark: mark, hold: hold, isGivenReservation: reservation != nil)
        guard let display = reading.display else { return .again }
        let handle = display.handle
        let word = reading.word(in: scope.words)
        if word != nil {
            // Only an owner that has the handle already, or to which it is promised, may go on.
            let known = KnownName(record: try await transaction.run(Lookup(handle: handle)).first)
            let decision = Decision.decide(reading, word: word, known, for: asker, to: .claim, scope.policy)
            guard decision.isAvailable else { return .refuse(.refused(.decision(decision))) }
        }
        let lockAccount = LockAccount(owner: owner, mark: mark, claims: 1)
        let lockLookalike = LockLookalike(handle: handle, use: .name(lasting: nil))
        let lookup = Lookup(handle: handle)
        let take = TakeClaim(
            display: display, owner: owner, mark: mark, hold: hold, change: change, reservation: reservation)
        var event = AppendEvent(handle: handle, change: change, action: .claimed, cause: cause, owner: mark)
        var known = KnownName()
        var account: Account?
        let before: Record?
        let taken: Record?
        let events: [Int64]
        if allowsLookalike {
            // The event records the protected handle, so the key is read first, in a round trip of its own.
            let (accounts, entries) = try await transaction.run(lockAccount, lockLookalike)
            event.related = entries.first?.original(of: handle, under: scope.policy.lookalikes)?.description
            let (earlier, after, appended) = try await transaction.run(lookup, take, event)
            (before, taken, events) = (earlier.first, after.first, appended)
            known = KnownName(record: before, lookalike: entries.first)
            account = accounts.first
            if event.related != nil { known.lookalike?.allow(handle, until: nil) }
        } else {
            let (accounts, entries, earlier, after, appended) = try await transaction.run(
                lockAccount, lockLookalike, lookup, take, event)
            (before, taken, events) = (earlier.first, after.first, appended)
            known = KnownName(record: before, lookalike: entries.first)
            account = accounts.first
        }
        // The account counts this claim already; the decision needs the number before it.
        account?.claimed -= 1
        if let account { asker.note(account) }
        let decision = Decision.decide(reading, word: word, known, for: asker, to: .claim, scope.policy)
        guard let taken else {
            return decision.isAvailable ? .again : .refuse(.refused(.decision(decision)))
        }
        guard !events.isEmpty else {
            // Nothing has changed: the owner had the handle before, or an earlier attempt took it and its COMMIT got no
            // reply.
            return .confirm(
                taken.change == change ? .done(taken) : .already(taken), handle, version: taken.version)
        }
        guard (before?.version ?? 0) == taken.version - 1 else { return .again }
        guard decision.isAvailable else { return .refuse(.refused(.decision(decision))) }
        if var entry = known.lookalike, entry.version > 1 || event.related != nil {
            entry.note(handle, until: nil)
            transaction.runLast(PutLookalike(entry: entry))
        }
        if var account, account.quarantined.contains(handle) {
            account.claimed += 1
            account.quarantined.removeAll { $0 == handle }
            transaction.runLast(PutAccount(account: account))
        }
        return .commit(.done(taken), made: taken)
    }
}
