package import HandleCore
import HandleText
package import Postgres

/// Outcome of a rename.
package enum RenameOutcome: Sendable {
    /// The owner has the new handle, and the old one is in quarantine.
    case renamed(Record)
    /// The owner has the new handle already, and not the old one.
    case already(Record)
    /// The old handle is not the owner's; its record, or nil if it is free.
    case notTheirs(Record?)
    /// The precondition does not hold for this record of the old handle.
    case changed(Record)
    /// The new handle is refused; the decision has the reasons.
    case refused(Decision)
}

/// Gives an owner a new handle in place of a claimed one. A change of capitals only is a ``Recase``, always allowed.
package struct Rename: Operation {
    let old: Handle
    /// The new handle as typed; its capitals become the display handle.
    let input: String
    let owner: Owner
    let precondition: Precondition
    let cause: Cause
    private let reading: Reading
    private let change = newChange()

    /// - Parameter precondition: the condition on the old handle.
    package init(
        _ old: Handle, to input: String, for owner: Owner, if precondition: Precondition = .none, _ cause: Cause
    ) {
        self.old = old
        self.input = input
        self.owner = owner
        self.precondition = precondition
        self.cause = cause
        reading = Reading(typed: input)
    }

    package func outcomeAtOnce(_ words: ReservedWords) -> RenameOutcome? {
        reading.handle == nil ? .refused(.decide(input, words: words)) : nil
    }

    package func attempt(in scope: Scope, _ transaction: inout Transaction) async throws -> Attempt<RenameOutcome> {
        let mark = scope.mark(of: owner)
        func decide(_ knowledge: Knowledge) -> Decision {
            Decision.decide(
                input, reading, words: scope.words, knowledge, Asker(owner: owner, mark: mark), .rename, scope.policy)
        }
        guard let display = reading.display else { return .again }
        let new = display.handle
        guard new != old else { return try await recase(display, scope, &transaction) }

        let (accounts, olds, news) = try await transaction.run(
            LockAccount(owner: owner, mark: mark), Lookup(handle: old), Lookup(handle: new))
        guard var account = accounts.first else { return .again }
        let before = news.first
        guard let record = olds.first, record.state == .claimed, record.owner == owner else {
            guard let before, before.state == .claimed, before.owner == owner else {
                return .refuse(.notTheirs(olds.first?.isFree == true ? nil : olds.first))
            }
            return .confirm(
                before.change == change ? .renamed(before) : .already(before), new, version: before.version)
        }
        guard precondition.holds(for: record, scope) else { return .refuse(.changed(record)) }
        var knowledge = Knowledge(record: before)
        knowledge.own = account.kept
        let decision = decide(knowledge)
        guard decision.isAvailable else { return .refuse(.refused(decision)) }

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
        knowledge.lookalike = locks.entries[LookalikeKey(new)]
        // The new handle may look like the old one.
        knowledge.lookalike?.names.removeAll { $0.handle == old }
        let second = decide(knowledge)
        guard second.isAvailable else { return .refuse(.refused(second)) }
        locks.note(new, until: nil)
        locks.writeBack(&transaction)
        if account.heldName == new { account.endHold(of: new) }
        transaction.runLast(PutAccount(account: account))
        return .commit(.renamed(taken), made: taken)
    }

    private func recase(
        _ display: DisplayHandle, _ scope: Scope, _ transaction: inout Transaction
    ) async throws -> Attempt<RenameOutcome> {
        switch try await Recase(display, by: owner, if: precondition, cause, change: change).attempt(
            in: scope, &transaction)
        {
        case .commit(let outcome, let made): .commit(Self.outcome(of: outcome), made: made)
        case .confirm(let outcome, let handle, let version):
            .confirm(Self.outcome(of: outcome), handle, version: version)
        case .refuse(let outcome): .refuse(Self.outcome(of: outcome))
        case .again: .again
        }
    }

    private static func outcome(of recasing: RecaseOutcome) -> RenameOutcome {
        switch recasing {
        case .recased(let record): .renamed(record)
        case .already(let record): .already(record)
        case .notTheirs(let record): .notTheirs(record)
        case .changed(let record): .changed(record)
        case .notClaimed: .notTheirs(nil)
        }
    }
}
