public import HandleCore
import HandleText
public import Postgres

public import struct FoundationEssentials.Date

/// What an admin keeps a name for.
public struct Reservation: Sendable {
    /// Why; kept with the name.
    public let reason: String
    /// Who may claim it, if anybody.
    public let owner: Owner?
    /// When it ends; nil for no end.
    public let until: Date?

    public init(reason: String, owner: Owner? = nil, until: Date? = nil) {
        self.reason = reason
        self.owner = owner
        self.until = until
    }
}

/// How a reservation ended.
public enum ReserveOutcome: Sendable {
    /// The name is reserved now. The names in use that look like it stay with their owners.
    case reserved(Record, lookalikes: [Handle])
    /// It was reserved already, and stays as it is.
    case already(Record)
    /// The name can't be had; the decision says why.
    case refused(Decision)
}

/// Keeps a name, and whatever looks like it, from everybody but the reservation's owner. Reserved words may be reserved.
/// A name that is reserved already stays as it is.
public struct Reserve: Operation {
    let input: String
    let reservation: Reservation
    /// Whether it may look like another name that is protected.
    let allowsLookalike: Bool
    let cause: Cause
    private let reading: Reading
    private let change = newChange()

    public init(
        _ input: String, _ reservation: Reservation, allowingLookalike allowsLookalike: Bool = false, actor: String
    ) {
        self.input = input
        self.reservation = reservation
        self.allowsLookalike = allowsLookalike
        cause = Cause(actor: actor, reason: reservation.reason)
        reading = Reading(typed: input)
    }

    public func outcomeAtOnce(_ words: ReservedWords) -> ReserveOutcome? {
        reading.handle == nil ? .refused(.decide(input, words: words)) : nil
    }

    public func attempt(in scope: Scope, _ transaction: inout Transaction) async throws -> Attempt<ReserveOutcome> {
        func decide(_ knowledge: Knowledge) -> Decision {
            Decision.decide(input, reading, words: scope.words, knowledge, .anyone, .reserve, scope.policy)
        }
        guard let display = reading.display else { return .again }
        let handle = display.handle
        let locked = try await transaction.run(
            LockLookalike(handle: handle, use: .reservation(until: reservation.until)))
        guard var entry = locked.first else { return .again }
        let original = allowsLookalike ? entry.original(of: handle, under: .protected) : nil
        if original != nil { entry.allow(handle, until: reservation.until) }

        let (before, after, events) = try await transaction.run(
            Lookup(handle: handle),
            TakeReservation(display: display, reservation: reservation, change: change),
            AppendEvent(
                handle: handle, change: change, action: .reserved, cause: cause,
                owner: reservation.owner.map(scope.mark), related: original?.description))
        let decision = decide(Knowledge(record: before.first, lookalike: entry))
        guard let record = after.first else {
            if let there = before.first, there.state == .reserved, !there.isFree {
                return .confirm(
                    there.change == change ? .reserved(there, lookalikes: entry.others(than: handle)) : .already(there),
                    handle, version: there.version)
            }
            return decision.isAvailable ? .again : .refuse(.refused(decision))
        }
        guard !events.isEmpty, (before.first?.version ?? 0) == record.version - 1 else { return .again }
        guard decision.isAvailable else { return .refuse(.refused(decision)) }
        if entry.version > 1 {
            if original == nil { entry.protect(handle, until: reservation.until) }
            transaction.runLast(PutLookalike(entry: entry))
        }
        return .commit(.reserved(record, lookalikes: entry.others(than: handle)))
    }
}
