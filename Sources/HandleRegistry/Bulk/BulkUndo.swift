package import HandleCore
import Postgres

/// Outcome of undoing a reservation.
package enum UndoOutcome: Sendable {
    /// The handle is free, as it was before.
    case undone
    /// The reservation was never made, or was undone before. The handle may be reserved by another change.
    case nothing
    /// The handle belongs to an owner by now and stays as it is.
    case changed(Record)
}

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

    /// - Parameter names: at most ``largest``, with the changes that reserved them.
    /// - Throws: `PostgresError`; repeating is safe.
    package func undo(_ names: [(handle: Handle, change: Int64)]) async throws -> [UndoOutcome] {
        precondition(names.count <= Self.largest, "more names than one transaction should have")
        let records = try await registry.lookUp(names.map(\.handle)).records
        // Several reservations may have been noted for one handle; at most one is in force.
        var changes: [Handle: Int64] = [:]
        for name in names where records[name.handle]?.isReserved(by: name.change) == true {
            changes[name.handle] = name.change
        }
        let undone =
            changes.isEmpty ? [] : try await registry.perform(UndoGroup(changes: changes, cause: cause))
        return names.map { name in
            if changes[name.handle] == name.change, undone.contains(name.handle) { return .undone }
            guard let record = records[name.handle], !record.isFree, record.state != .reserved else { return .nothing }
            return .changed(record)
        }
    }
}

extension Record {
    fileprivate func isReserved(by change: Int64) -> Bool { state == .reserved && self.change == change }
}

/// Frees the reservations that are still in force unchanged. The outcome is the set of freed handles.
private struct UndoGroup: Operation {
    let changes: [Handle: Int64]
    let cause: Cause
    private let change = newChange()

    init(changes: [Handle: Int64], cause: Cause) {
        self.changes = changes
        self.cause = cause
    }

    func performed(by registry: Registry) async throws -> Set<Handle> {
        try await registry.performAlone(self, isLong: true)
    }

    func attempt(in scope: Scope, _ transaction: inout Transaction) async throws -> Attempt<Set<Handle>> {
        let handles = changes.keys.sorted()
        let (locked, known) = try await transaction.run(
            LockLookalikes(keys: Set(handles.map { LookalikeKey($0) }).sorted()), LookupMany(handles: handles))
        // An earlier attempt freed it, and its COMMIT got no reply.
        let before = known.filter { $0.change == change }.map(\.handle)
        let ours = known.filter { $0.isReserved(by: changes[$0.handle] ?? change) }.map(\.handle).sorted()
        guard !ours.isEmpty else {
            // Commit although nothing changes. A commit that follows the unanswered one makes the outcome durable
            // before it is reported.
            return before.isEmpty ? .refuse([]) : .commit(Set(before), made: nil)
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
        return .commit(Set(ours), made: nil)
    }
}
