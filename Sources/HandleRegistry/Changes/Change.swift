package import HandleCore

/// A change of the registry as a value. It names the rows that it touches, and decides in memory how they change.
///
/// The ``Writer`` locks the rows and commits the result. After a fault it lets the same change plan again.
package protocol Change<Outcome>: Sendable {
    associatedtype Outcome: Sendable
    /// The change number: random, and stored with every record that the change writes. All attempts have the same
    /// number, so that an attempt recognises the commit of an earlier one.
    var number: Int64 { get }
    /// True if reserved words decide about it. It is then committed only if they are the same as at the decision.
    var goesByWords: Bool { get }
    /// The outcome, if it is certain without a query.
    func outcomeAtOnce(_ words: ReservedWords) -> Outcome?
    /// A handle with a record that shows which rows the change touches; nil if they are certain without it.
    var lookedUp: Handle? { get }
    /// The rows that the change touches, as far as they are known.
    /// - Parameter record: the record of ``lookedUp``, read without a lock.
    func touches(_ record: Record?, _ scope: Scope) -> Touches
    /// Makes the change in memory.
    func plan(in rows: inout LockedRows) -> Plan<Outcome>
    /// Performs the change: alone in a transaction, unless it has another way.
    func performed(by registry: Registry) async throws -> Outcome
}

extension Change {
    package var goesByWords: Bool { true }

    package func outcomeAtOnce(_ words: ReservedWords) -> Outcome? { nil }

    package var lookedUp: Handle? { nil }

    package func performed(by registry: Registry) async throws -> Outcome { try await registry.write(self) }
}

/// The result of planning a change.
package enum Plan<Outcome: Sendable>: Sendable {
    /// The change is made, or was made before. A commit makes the outcome durable, even if it writes nothing new.
    case commit(Outcome)
    /// The change is refused, and nothing has changed.
    case refuse(Outcome)
    /// More rows have to be locked first, and nothing has changed.
    case lock(Touches)
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
