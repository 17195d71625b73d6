package import HandleCore
import HandleText
package import Postgres

/// Keeps a handle for an owner for a limited time. An owner holds one handle at a time: a second hold ends the first.
/// Repeating it returns the same hold with the same end.
package struct Hold: Operation {
    private let reading: Reading
    let owner: Owner
    /// Length of the hold; nil for the policy's default.
    let duration: Duration?
    let cause: Cause
    private let change = newChange()
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

    package func attempt(in scope: Scope, _ transaction: inout Transaction) async throws -> Attempt<ChangeOutcome> {
        let mark = scope.mark(of: owner)
        var asker = Asker(owner: owner, mark: mark)
        let word = reading.word(in: scope.words)
        guard let display = reading.display else { return .again }
        let handle = display.handle
        let duration = duration ?? scope.policy.hold

        let (accounts, before) = try await transaction.run(
            LockAccount(owner: owner, mark: mark), Lookup(handle: handle))
        guard var account = accounts.first else { return .again }
        asker.note(account)
        var known = KnownName(record: before.first)
        let first = Decision.decide(reading, word: word, known, for: asker, to: .hold, scope.policy)
        guard first.isAvailable else { return .refuse(.refused(.decision(first))) }
        let isTheirs = known.state != nil
        if !isTheirs, let end = account.pause(of: handle, scope.policy.holdPause) {
            return .refuse(.refused(.paused(until: end)))
        }

        let left = account.heldName.flatMap { $0 == handle ? nil : $0 }
        var locks = Locks(scope, cause)
        try await locks.lock([handle] + [left].compactMap(\.self), lasting: duration, &transaction)
        var taken: Record?
        // Handles in sorted order, as in every operation, to avoid deadlocks.
        for name in [handle, left].compactMap(\.self).sorted() {
            if name == left {
                try await locks.endHold(of: name, owner, &transaction)
            } else {
                let (after, events) = try await transaction.run(
                    TakeHold(display: display, owner: owner, token: secret, duration: duration, change: change),
                    AppendEvent(handle: handle, change: change, action: .held, cause: cause, owner: mark))
                guard let record = after.first else { return .again }
                guard !events.isEmpty else {
                    return .confirm(
                        record.change == change ? .done(record) : .already(record), handle, version: record.version)
                }
                guard (before.first?.version ?? 0) == record.version - 1 else { return .again }
                taken = record
            }
        }
        guard let taken, let end = taken.until else { return .again }
        known.lookalike = locks.entries[LookalikeKey(handle)]
        let second = Decision.decide(reading, word: word, known, for: asker, to: .hold, scope.policy)
        guard second.isAvailable else { return .refuse(.refused(.decision(second))) }
        locks.note(handle, until: end)
        locks.writeBack(&transaction)
        if let left { account.endHold(of: left) }
        account.noteHold(handle, until: end, pause: scope.policy.holdPause)
        transaction.runLast(PutAccount(account: account))
        return .commit(.done(taken), made: taken)
    }
}
