package import HandleCore
import HandleText
package import Postgres

/// Outcome of a claim.
package enum TakeOutcome: Sendable {
    /// The asker has the handle now.
    case taken(Record)
    /// The asker had it already; nothing has changed.
    case already(Record)
    /// The handle is refused; the decision has the reasons.
    case refused(Decision)
}

/// Gives a handle to an owner for good. Repeating it succeeds.
package struct Claim: Operation {
    /// The handle as typed; its capitals become the display handle.
    let input: String
    let owner: Owner
    /// The secret of a hold on the handle, with which any owner can claim it.
    let hold: String?
    /// True if the handle may look like a protected one.
    let allowsLookalike: Bool
    /// The version of a reservation to take, whichever owner it is for; set only by ``Assign``.
    var reservation: Int64?
    let cause: Cause
    let reading: Reading
    let change = newChange()

    package init(
        _ input: String, for owner: Owner, hold: String? = nil, allowingLookalike allowsLookalike: Bool = false,
        _ cause: Cause
    ) {
        self.input = input
        self.owner = owner
        self.hold = hold
        self.allowsLookalike = allowsLookalike
        self.cause = cause
        reading = Reading(typed: input)
    }

    package func performed(by registry: Registry) async throws -> TakeOutcome {
        try await registry.claims.perform(self, in: registry)
    }

    package func outcomeAtOnce(_ words: ReservedWords) -> TakeOutcome? {
        reading.handle == nil ? .refused(.decide(input, words: words)) : nil
    }

    package func attempt(in scope: Scope, _ transaction: inout Transaction) async throws -> Attempt<TakeOutcome> {
        let mark = scope.mark(of: owner)
        func decide(_ knowledge: Knowledge) -> Decision {
            Decision.decide(
                input, reading, words: scope.words, knowledge,
                Asker(owner: owner, mark: mark, hold: hold, isGivenReservation: reservation != nil), .claim,
                scope.policy)
        }
        guard let display = reading.display else { return .again }
        let handle = display.handle
        if !decide(.nothing).isAvailable {
            // The handle is a reserved word: only an owner that has it already, or to which it is promised, may go on.
            let decision = decide(Knowledge(record: try await transaction.run(Lookup(handle: handle)).first))
            guard decision.isAvailable else { return .refuse(.refused(decision)) }
        }
        let lockAccount = LockAccount(owner: owner, mark: mark, claims: 1)
        let lockLookalike = LockLookalike(handle: handle, use: .name(lasting: nil))
        let lookup = Lookup(handle: handle)
        let take = TakeClaim(
            display: display, owner: owner, mark: mark, hold: hold, change: change, reservation: reservation)
        var event = AppendEvent(handle: handle, change: change, action: .claimed, cause: cause, owner: mark)
        var knowledge = Knowledge()
        let known: Record?
        let taken: Record?
        let events: [Int64]
        if allowsLookalike {
            // The event records the protected handle, so the key is read first, in a round trip of its own.
            let (accounts, entries) = try await transaction.run(lockAccount, lockLookalike)
            event.related = entries.first?.original(of: handle, under: scope.policy.lookalikes)?.description
            let (before, after, appended) = try await transaction.run(lookup, take, event)
            knowledge = Knowledge(record: before.first, lookalike: entries.first, account: accounts.first)
            (known, taken, events) = (before.first, after.first, appended)
            if event.related != nil { knowledge.lookalike?.allow(handle, until: nil) }
        } else {
            let (accounts, entries, before, after, appended) = try await transaction.run(
                lockAccount, lockLookalike, lookup, take, event)
            knowledge = Knowledge(record: before.first, lookalike: entries.first, account: accounts.first)
            (known, taken, events) = (before.first, after.first, appended)
        }
        // The account counts this claim already; the decision needs the number before it.
        knowledge.account?.claimed -= 1
        guard let taken else {
            let decision = decide(knowledge)
            return decision.isAvailable ? .again : .refuse(.refused(decision))
        }
        guard !events.isEmpty else {
            // Nothing has changed: the owner had the handle before, or an earlier attempt took it and its COMMIT got no
            // reply.
            return .confirm(
                taken.change == change ? .taken(taken) : .already(taken), handle, version: taken.version)
        }
        guard (known?.version ?? 0) == taken.version - 1 else { return .again }
        let decision = decide(knowledge)
        guard decision.isAvailable else { return .refuse(.refused(decision)) }
        if var entry = knowledge.lookalike, entry.version > 1 || event.related != nil {
            entry.note(handle, until: nil)
            transaction.runLast(PutLookalike(entry: entry))
        }
        if var account = knowledge.account, account.quarantined.contains(handle) {
            account.claimed += 1
            account.quarantined.removeAll { $0 == handle }
            transaction.runLast(PutAccount(account: account))
        }
        return .commit(.taken(taken), made: taken)
    }
}
