package import HandleCore
import HandleText
package import Postgres

package import struct FoundationEssentials.Date

/// Outcome of a hold.
package enum HoldOutcome: Sendable {
    /// The asker holds the handle now.
    case held(Record)
    /// The asker holds it already; its end has not moved.
    case already(Record)
    /// The handle is refused; the decision has the reasons.
    case refused(Decision)
    /// The asker's last hold of the handle ended a moment ago. The asker can't hold it again before this time.
    case paused(until: Date)
}

/// Keeps a handle for an owner for a limited time. An owner holds one handle at a time: a second hold ends the first.
/// Repeating it returns the same hold with the same end.
package struct Hold: Operation {
    /// The handle as typed; its capitals become the display handle.
    let input: String
    let owner: Owner
    /// Length of the hold; nil for the policy's default.
    let duration: Duration?
    let cause: Cause
    private let reading: Reading
    private let change = newChange()
    private let secret = Secret.random(prefix: "hold_")

    /// - Parameter duration: within ``Policy/holdRange``; nil for the policy's default.
    package init(_ input: String, for owner: Owner, lasting duration: Duration? = nil, _ cause: Cause) {
        precondition(duration.map(Policy.holdRange.contains) ?? true, "the caller must check the duration")
        self.input = input
        self.owner = owner
        self.duration = duration
        self.cause = cause
        reading = Reading(typed: input)
    }

    package func outcomeAtOnce(_ words: ReservedWords) -> HoldOutcome? {
        reading.handle == nil ? .refused(.decide(input, words: words)) : nil
    }

    package func attempt(in scope: Scope, _ transaction: inout Transaction) async throws -> Attempt<HoldOutcome> {
        let mark = scope.mark(of: owner)
        func decide(_ knowledge: Knowledge) -> Decision {
            Decision.decide(
                input, reading, words: scope.words, knowledge, Asker(owner: owner, mark: mark), .hold, scope.policy)
        }
        guard let display = reading.display else { return .again }
        let handle = display.handle
        let duration = duration ?? scope.policy.hold

        let (accounts, before) = try await transaction.run(
            LockAccount(owner: owner, mark: mark), Lookup(handle: handle))
        guard var account = accounts.first else { return .again }
        var knowledge = Knowledge(record: before.first, account: account)
        let decision = decide(knowledge)
        guard decision.isAvailable else { return .refuse(.refused(decision)) }
        let isTheirs = knowledge.standing != nil
        if !isTheirs, let end = account.pause(of: handle, scope.policy.holdPause) {
            return .refuse(.paused(until: end))
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
                        record.change == change ? .held(record) : .already(record), handle, version: record.version)
                }
                guard (before.first?.version ?? 0) == record.version - 1 else { return .again }
                taken = record
            }
        }
        guard let taken, let end = taken.until else { return .again }
        knowledge.lookalike = locks.entries[LookalikeKey(handle)]
        let second = decide(knowledge)
        guard second.isAvailable else { return .refuse(.refused(second)) }
        locks.note(handle, until: end)
        locks.writeBack(&transaction)
        if let left { account.endHold(of: left) }
        account.noteHold(handle, until: end, pause: scope.policy.holdPause)
        transaction.runLast(PutAccount(account: account))
        return .commit(.held(taken), made: taken)
    }
}
