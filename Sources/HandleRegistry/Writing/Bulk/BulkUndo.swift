package import HandleRules
import Postgres

/// Undoes the reservations of ``BulkReserve`` that have not changed since. Safe to repeat.
package struct BulkUndo: Sendable {
    private let registry: Registry
    private let cause: Cause
    /// Nil to make the changes.
    private let dryRun: DryRun?

    private static let freedAtOnce = 5000

    /// - Parameter isDryRun: true to find the outcomes that the undo would have, and change nothing.
    package init(_ registry: Registry, _ cause: Cause, isDryRun: Bool = false) {
        self.registry = registry
        self.cause = cause
        dryRun = isDryRun ? DryRun(registry) : nil
    }

    /// Frees handles, some thousands in a transaction.
    ///
    /// The outcome is ``Refusal/notReserved(_:)`` for a reservation that was never made, or was undone before: the
    /// handle is free, or reserved by another change. It is ``Refusal/changed(_:)`` for a handle that belongs to an owner
    /// by now.
    /// - Parameter names: the handles, with the changes that reserved them.
    /// - Throws: `PostgresError`; repeating is safe.
    package func undo(_ names: [(handle: Handle, change: Int64)]) async throws -> [ChangeOutcome] {
        var outcomes: [ChangeOutcome] = []
        for start in stride(from: 0, to: names.count, by: Self.freedAtOnce) {
            outcomes += try await undo(names[start..<min(start + Self.freedAtOnce, names.count)])
        }
        return outcomes
    }

    private func undo(_ names: ArraySlice<(handle: Handle, change: Int64)>) async throws -> [ChangeOutcome] {
        let records = try await registry.lookUp(names.map(\.handle))
        // Several reservations may have been noted for one handle; at most one is in force.
        var changes: [Handle: Int64] = [:]
        for name in names where records[name.handle]?.isReserved(by: name.change) == true {
            changes[name.handle] = name.change
        }
        let inForce = changes.sorted { $0.key < $1.key }
        let number = newChange()
        let freed = inForce.map { Unreserve(handle: $0.key, reserving: $0.value, cause: cause, number: number) }
        let undone =
            if let dryRun { try await dryRun.perform(freed) } else {
                try await registry.writes.write(freed, isLong: true)
            }
        var outcomes = Dictionary(zip(inForce.map(\.key), undone)) { first, _ in first }
        return names.map { name in
            // A reservation that is noted twice is undone once.
            if changes[name.handle] == name.change, let outcome = outcomes.removeValue(forKey: name.handle) {
                return outcome
            }
            return .refused(records[name.handle]?.whyNotUnreserved ?? .notReserved(nil))
        }
    }
}
