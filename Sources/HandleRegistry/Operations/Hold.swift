package import HandleCore
import HandleText
package import Postgres

package import struct FoundationEssentials.Date

/// How an attempt to hold a name ended.
package enum HoldOutcome: Sendable {
    /// The name is held for the asker now.
    case held(Record)
    /// The asker holds it already; its end has not moved.
    case already(Record)
    /// The name can't be had; the decision says why.
    case refused(Decision)
    /// The asker held it until a moment ago, and can't hold it again before this time.
    case paused(until: Date)
}

/// Keeps a name for an owner for a while. An owner holds one name at a time: to hold another lets go of the first. To
/// repeat it returns the same hold, its end not moved.
package struct Hold: Operation {
    /// The name as typed; its capitals become the display handle.
    let input: String
    let owner: Owner
    /// How long; nil for the policy's time.
    let duration: Duration?
    let cause: Cause
    private let reading: Reading
    private let change = newChange()
    private let secret = Secret.random(prefix: "hold_")

    /// - Parameter duration: within ``Policy/holdRange``; nil for the policy's.
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
        // Names in their order, as everybody takes them.
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
