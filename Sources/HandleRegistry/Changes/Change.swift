package import HandleRules
package import HandleWords

/// A change of the registry as a value. It names the rows that it touches, and decides in memory how they change.
///
/// The ``Writer`` locks the rows and commits the result. After a fault it lets the same change plan again.
package protocol Change<Outcome>: Sendable {
    associatedtype Outcome: Sendable
    /// The change number: random, and stored with every record that the change writes. By it, a change that is
    /// performed again recognises a record that it has made.
    var number: Int64 { get }
    /// True if reserved words decide about it. It is then committed only if they are the same as at the decision.
    var goesByWords: Bool { get }
    /// The outcome, if it is certain without a query.
    func outcomeAtOnce(_ words: ReservedWords) -> Outcome?
    /// A handle to look up before the locks, because its record may show a refusal or the rows to lock.
    func lookedUp(_ scope: Scope) -> Handle?
    /// The refusal that a record shows without a lock, so that a refused change writes nothing.
    /// - Parameter record: the record of the looked-up handle.
    func refusal(_ record: Record?, _ scope: Scope) -> Outcome?
    /// Adds the rows that the change touches, as far as they are known.
    /// - Parameter record: the record of the looked-up handle, read without a lock.
    func add(to touches: inout Touches, _ record: Record?, _ scope: Scope)
    /// Makes the change in memory.
    func plan(in rows: inout LockedRows) -> Plan<Outcome>
    /// Performs the change: alone in a transaction, unless it has another way.
    func performed(by registry: Registry) async throws -> Outcome
}

extension Change {
    package var goesByWords: Bool { true }

    package func outcomeAtOnce(_ words: ReservedWords) -> Outcome? { nil }

    package func lookedUp(_ scope: Scope) -> Handle? { nil }

    package func refusal(_ record: Record?, _ scope: Scope) -> Outcome? { nil }

    package func performed(by registry: Registry) async throws -> Outcome { try await registry.writes.write(self) }
}

/// The result of planning a change.
package enum Plan<Outcome: Sendable>: Sendable {
    /// The change is made, and can be committed.
    case commit(Outcome)
    /// The record is as wanted already, and nothing has changed. The record is written once more, unchanged: so the
    /// answer is as durable as that of the change that made it.
    case confirm(Outcome, Record)
    /// The change is refused, and nothing has changed.
    case refuse(Outcome)
    /// The locks do not fit, and nothing has changed: lock this handle too, or nil to look up and lock again.
    case lock(Handle?)
}

/// The inputs of a change besides the rows.
package struct Scope: Sendable {
    let words: ReservedWords
    /// The version of the reserved words when they were read; nil if unknown.
    let wordChanges: Int64?
    let policy: Policy
    let salt: [UInt8]

    func mark(of owner: Owner) -> OwnerMark { OwnerMark(of: owner, salt: salt) }
}

/// A random number that identifies a change.
func newChange() -> Int64 { .random(in: .min ... .max) }
