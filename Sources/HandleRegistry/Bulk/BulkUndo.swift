package import HandleCore
import Postgres

/// How taking a reservation back ended.
package enum UndoOutcome: Sendable {
    /// The name is free, as it was before.
    case undone
    /// Nothing is to be done: it was never made, or taken back before. The name may be reserved by something else.
    case nothing
    /// Somebody has the name by now, and keeps it.
    case changed(Record)
}

/// Takes back what ``BulkReserve`` did, where nothing has happened to it since. Safe to repeat.
package struct BulkUndo: Sendable {
    private let registry: Registry
    private let cause: Cause

    /// Names that are freed in one transaction.
    package static let largest = 5000

    package init(_ registry: Registry, _ cause: Cause) {
        self.registry = registry
        self.cause = cause
    }

    /// - Parameter names: ``largest`` at most, with the changes that reserved them.
    /// - Throws: `PostgresError`; to repeat it is safe.
    package func undo(_ names: [(handle: Handle, change: Int64)]) async throws -> [UndoOutcome] {
        precondition(names.count <= Self.largest, "more names than one transaction should have")
        let records = try await registry.lookUp(names.map(\.handle)).records
        // Of several reservations that were noted for a name, one at most is in force.
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

/// Frees reservations that are still as they were made; the outcome is which.
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
        // Freed by an attempt whose answer was lost.
        let before = known.filter { $0.change == change }.map(\.handle)
        let ours = known.filter { $0.isReserved(by: changes[$0.handle] ?? change) }.map(\.handle).sorted()
        guard !ours.isEmpty else {
            // What is said of it is said once a commit of this attempt has come after it.
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
