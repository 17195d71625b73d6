package import HandleRules
import Postgres

/// Undoes changes of ``BulkReserve``, ``BulkClaim`` and ``BulkChange`` that are still the last ones of their handles. Safe
/// to repeat.
package struct BulkUndo: Sendable {
    private let registry: Registry
    private let cause: Cause
    /// Nil to make the changes.
    private let dryRun: DryRun?

    private static let undoneAtOnce = 5000

    /// - Parameter isDryRun: true to find the outcomes that the undo would have, and change nothing.
    package init(_ registry: Registry, _ cause: Cause, isDryRun: Bool = false) {
        self.registry = registry
        self.cause = cause
        dryRun = isDryRun ? DryRun(registry) : nil
    }

    /// Puts handles back to what they were, some thousands in a transaction. What would have ended by now, or was held, is
    /// free.
    ///
    /// The outcome is ``Refusal/notReserved(_:)`` for a change that was never made, or was undone before: the handle is
    /// free, or reserved by another change. It is ``ChangeOutcome/already(_:)`` for a handle that an earlier undo has given
    /// back, and ``Refusal/changed(_:)`` for one that has changed otherwise, or of which the owner's id is not stored any
    /// more.
    /// - Parameter names: the handles, with the numbers of the changes.
    /// - Throws: `PostgresError`; repeating is safe.
    package func undo(_ names: [(handle: Handle, change: Int64)]) async throws -> [ChangeOutcome] {
        var outcomes: [ChangeOutcome] = []
        for start in stride(from: 0, to: names.count, by: Self.undoneAtOnce) {
            outcomes += try await undo(names[start..<min(start + Self.undoneAtOnce, names.count)])
        }
        return outcomes
    }

    private func undo(_ names: ArraySlice<(handle: Handle, change: Int64)>) async throws -> [ChangeOutcome] {
        let records = try await registry.lookUp(names.map(\.handle))
        // Several changes may have been noted for one handle; at most one is in force.
        let inForce = names.compactMap { name in records[name.handle].flatMap { $0.change == name.change ? $0 : nil } }
        let reverts = try await reverts(of: inForce.byHandle)
        let undone =
            if let dryRun { try await dryRun.perform(reverts) } else {
                try await registry.writes.write(reverts, isLong: true)
            }
        let outcomes = undone.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
        var done: Set<Handle> = []
        return names.map { name in
            guard let record = records[name.handle] else { return .refused(.notReserved(nil)) }
            if record.change == name.change, let outcome = outcomes[name.handle] {
                // A change that is noted twice is undone once.
                if let record = outcome.record, !done.insert(name.handle).inserted { return .already(record) }
                return outcome
            }
            let isUndone = record.change == Revert.number(of: name.change) && !record.isFree
            return isUndone ? .already(record) : .refused(record.whyNotReverted)
        }
    }

    /// The changes that put records back, without those of renames of which the other handle has changed since.
    private func reverts(of records: [Handle: Record]) async throws -> [Revert] {
        var histories = try await histories(of: records)
        var others: [Handle: Handle] = [:]
        for (handle, events) in histories {
            guard let event = events.last, event.action == .renamed, event.version == records[handle]?.version else {
                continue
            }
            others[handle] = event.related.flatMap { Handle($0) }
        }
        // The other handle of a rename may be in another part of the undo file.
        let missing = others.values.filter { records[$0] == nil }
        let known =
            missing.isEmpty ? records : records.merging(try await registry.lookUp(missing)) { first, _ in first }
        histories.merge(try await self.histories(of: known.filter { missing.contains($0.key) })) { first, _ in first }

        var (reverts, done): ([Revert], Set<Handle>) = ([], [])
        // First the renames: the event of an old handle that is free does not name the new one.
        for handle in others.keys.sorted() + records.keys.sorted() {
            guard let record = records[handle], !done.contains(handle) else { continue }
            var both = [record]
            if let other = others[handle] {
                guard let other = known[other] else { continue }
                switch other.change {
                case record.change: both.append(other)
                case Revert.number(of: record.change): break
                default: continue
                }
            }
            done.formUnion(both.map(\.handle))
            let steps = both.map {
                Revert.Step(record: $0, past: PastState(before: $0, histories[$0.handle] ?? []))
            }
            // A dry run does not take its own earlier plans for those of a repeated undo.
            let number = dryRun == nil ? Revert.number(of: record.change) : newChange()
            reverts.append(Revert(steps: steps, cause: cause, number: number))
        }
        return reverts
    }

    /// The events of handles, oldest first. Reservations of new handles need none.
    private func histories(of records: [Handle: Record]) async throws -> [Handle: [Event]] {
        let changed = records.values.filter { $0.version > 1 || $0.state != .reserved }.map(\.handle)
        if changed.isEmpty { return [:] }
        return Dictionary(grouping: try await registry.pool.run(EventsOfMany(handles: changed)), by: \.handle)
    }
}
