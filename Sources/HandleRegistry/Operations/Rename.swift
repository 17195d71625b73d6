package import HandleCore
import HandleText
package import Postgres

/// Gives an owner a new handle in place of a claimed one. A change of capitals only is a ``Recase``, always allowed.
package struct Rename: Operation {
    let old: Handle
    /// The new handle as typed.
    private let reading: Reading
    let owner: Owner
    let precondition: Precondition
    let cause: Cause
    private let change = newChange()

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

    package func attempt(in scope: Scope, _ transaction: inout Transaction) async throws -> Attempt<ChangeOutcome> {
        guard let display = reading.display else { return .again }
        let new = display.handle
        guard new != old else {
            return try await Recase(display, by: owner, if: precondition, cause, change: change)
                .attempt(in: scope, &transaction)
        }
        let mark = scope.mark(of: owner)
        var asker = Asker(owner: owner, mark: mark)
        let word = reading.word(in: scope.words)

        let (accounts, olds, news) = try await transaction.run(
            LockAccount(owner: owner, mark: mark), Lookup(handle: old), Lookup(handle: new))
        guard var account = accounts.first else { return .again }
        let before = news.first
        guard let record = olds.first, record.state == .claimed, record.owner == owner else {
            guard let before, before.state == .claimed, before.owner == owner else {
                let other = olds.first.flatMap { $0.isFree ? nil : $0 }
                return .refuse(.refused(other.map { .notOwner($0) } ?? .notClaimed))
            }
            return .confirm(
                before.change == change ? .done(before) : .already(before), new, version: before.version)
        }
        guard precondition.holds(for: record, scope) else { return .refuse(.refused(.changed(record))) }
        var known = KnownName(record: before)
        asker.kept = account.kept
        let first = Decision.decide(reading, word: word, known, for: asker, to: .rename, scope.policy)
        guard first.isAvailable else { return .refuse(.refused(.decision(first))) }

        account.quarantined.removeAll { $0 == new }
        let displaced = account.noteQuarantine(old, scope.policy)
        let names = [old, new, displaced].compactMap(\.self).sorted()
        var locks = Locks(scope, cause)
        try await locks.lock(names, &transaction)
        var taken: Record?
        for name in names {
            switch name {
            case old:
                let left = try await locks.quarantine(
                    record, for: mark, .renamed, related: new, change: change, &transaction)
                if left == nil { return .again }
            case new:
                let (after, events) = try await transaction.run(
                    TakeClaim(display: display, owner: owner, mark: mark, hold: nil, change: change),
                    AppendEvent(
                        handle: new, change: change, action: .renamed, cause: cause, owner: mark,
                        related: old.description))
                taken = after.first
                guard let taken, !events.isEmpty, (before?.version ?? 0) == taken.version - 1 else { return .again }
            default: try await locks.endQuarantine(of: name, mark, &transaction)
            }
        }
        guard let taken else { return .again }
        known.lookalike = locks.entries[LookalikeKey(new)]
        // The new handle may look like the old one.
        known.lookalike?.names.removeAll { $0.handle == old }
        let second = Decision.decide(reading, word: word, known, for: asker, to: .rename, scope.policy)
        guard second.isAvailable else { return .refuse(.refused(.decision(second))) }
        locks.note(new, until: nil)
        locks.writeBack(&transaction)
        if account.heldName == new { account.endHold(of: new) }
        transaction.runLast(PutAccount(account: account))
        return .commit(.done(taken), made: taken)
    }
}
