package import HandleCore
import Postgres

/// Undoes the reservations of ``BulkReserve`` that have not changed since. Safe to repeat.
package struct BulkUndo: Sendable {
    private let registry: Registry
    private let cause: Cause

    /// Handles freed in one transaction.
    package static let largest = 5000

    package init(_ registry: Registry, _ cause: Cause) {
        self.registry = registry
        self.cause = cause
    }

    /// The outcome is ``Refusal/notReserved(_:)`` for a reservation that was never made, or was undone before: the
    /// handle is free, or reserved by another change. It is ``Refusal/changed(_:)`` for a handle that belongs to an owner
    /// by now.
    /// - Parameter names: at most ``largest``, with the changes that reserved them.
    /// - Throws: `PostgresError`; repeating is safe.
    package func undo(_ names: [(handle: Handle, change: Int64)]) async throws -> [ChangeOutcome] {
        precondition(names.count <= Self.largest, "more names than one transaction should have")
        let records = try await registry.lookUp(names.map(\.handle)).records
        // Several reservations may have been noted for one handle; at most one is in force.
        var changes: [Handle: Int64] = [:]
        for name in names where records[name.handle]?.isReserved(by: name.change) == true {
            changes[name.handle] = name.change
        }
        let undone =
            changes.isEmpty ? [:] : try await registry.perform(UndoGroup(changes: changes, cause: cause))
        return names.map { name in
            if changes[name.handle] == name.change, let freed = undone[name.handle] { return .done(freed) }
            guard let record = records[name.handle], !record.isFree else { return .refused(.notReserved(nil)) }
            return .refused(record.state == .reserved ? .notReserved(record) : .changed(record))
        }
    }
}

extension Record {
    fileprivate func isReserved(by change: Int64) -> Bool { state == .reserved && self.change == change }
}

/// Frees the reservations that are still in force unchanged. The outcome has their records.
private struct UndoGroup: Operation {
    let changes: [Handle: Int64]
    let cause: Cause
    private let change = newChange()

    init(changes: [Handle: Int64], cause: Cause) {
        self.changes = changes
        self.cause = cause
    }

    func performed(by registry: Registry) async throws -> [Handle: Record] {
        try await registry.performAlone(self, isLong: true)
    }

    func attempt(in scope: Scope, _ transaction: inout Transaction) async throws -> Attempt<[Handle: Record]> {
        let handles = changes.keys.sorted()
        let (locked, known) = try await transaction.run(
            LockLookalikes(keys: Set(handles.map { LookalikeKey($0) }).sorted()), LookupMany(handles: handles))
        // An earlier attempt freed it, and its COMMIT got no reply.
        let before = known.filter { $0.change == change }
        let ours = known.filter { $0.isReserved(by: changes[$0.handle] ?? change) }.map(\.handle).sorted()
        guard !ours.isEmpty else {
            // Commit although nothing changes. A commit that follows the unanswered one makes the outcome durable
            // before it is reported.
            return before.isEmpty ? .refuse([:]) : .commit(before.byHandle, made: nil)
        }
        let (freed, last) = try await transaction.run(
            FreeReservations(handles: ours, changes: Array(Set(changes.values)), change: change),
            LastEvents(handles: ours))
        guard freed.count == ours.count,
            try await transaction.append(.released, freed, after: last, scope, explain: { _ in (cause, nil) })
        else { return .again }
        var entries = Dictionary(locked.map { ($0.key, $0) }) { first, _ in first }
        for handle in ours { entries[LookalikeKey(handle)]?.free(handle) }
        transaction.put(Array(entries.values))
        return .commit(freed.byHandle, made: nil)
    }
}
