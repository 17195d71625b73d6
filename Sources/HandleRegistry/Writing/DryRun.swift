import HandleRules
import HandleWords
import Postgres

import struct FoundationEssentials.Date

/// Plans changes as the ``Writer`` does, on rows that it reads without locks, and commits nothing.
///
/// Each change sees the rows as the changes before it would have left them. For that, the rows of owners and of
/// names that would be changed stay in memory, with their look-alikes.
package actor DryRun {
    private let registry: Registry
    private var accounts: [OwnerMark: Account] = [:]
    private var names: [LookalikeKey: [PlannedName]] = [:]

    /// The changes planned on the rows of one transaction.
    private static let plannedAtOnce = 10_000

    package init(_ registry: Registry) { self.registry = registry }

    /// The outcomes that the changes would have, one after the other.
    /// - Parameter changes: no two of one handle, and none that looks up a handle (``Change/lookedUp(_:)``) which an
    ///   earlier call has changed.
    /// - Throws: `PostgresError`
    func perform<C: Change>(_ changes: [C]) async throws -> [C.Outcome] {
        var outcomes: [C.Outcome] = []
        for start in stride(from: 0, to: changes.count, by: Self.plannedAtOnce) {
            var batch = ChangeBatch(Array(changes[start..<min(start + Self.plannedAtOnce, changes.count)]))
            while !batch.pending.isEmpty { try await plan(&batch) }
            outcomes += batch.settled
        }
        return outcomes
    }

    /// Whether a change has left the handle claimed by the owner.
    func hasClaimed(_ handle: Handle, for owner: Owner) -> Bool {
        names[LookalikeKey(handle)]?.contains { $0.isClaimed(handle, by: owner) } ?? false
    }

    private func plan<C: Change>(_ batch: inout ChangeBatch<C>) async throws {
        let scope = try await registry.writes.scope()
        var part = batch.pending
        var keys: [LookalikeKey] = []
        var rows = try await registry.pool.transaction(
            beginningWith: [LongStatements()], until: .now + LongStatements.longest
        ) { transaction in
            let records = try await transaction.lookUp(batch.lookedUp(part, scope))
            batch.refuse(&part, records, scope)
            let touches = batch.rowsToLock(for: part, records, scope)
            keys = touches.keys
            let rows = try await transaction.read(touches, in: scope)
            try await transaction.rollBack()
            return rows
        }
        // Nothing is awaited from here on, so calls do not see each other's changes half made.
        rows.replace(rows.marks.compactMap { accounts[$0] })
        for key in keys {
            if let planned = names[key] { rows.replace(planned.enumerated().map { $1.stored(at: $0) }, with: key) }
        }
        let plans = batch.plan(part, in: &rows)
        guard plans.more.isEmpty else { return }
        batch.settle(plans.made + plans.idle)
        for account in rows.changedAccounts { accounts[account.mark] = account }
        for key in Set(rows.writes.map { LookalikeKey($0.name.record.handle) }) {
            names[key] = rows.names(with: key).map { PlannedName($0.record) }
        }
    }
}

/// A name without the fields that no decision needs: there are millions of these in a long run.
private struct PlannedName {
    private let display: DisplayHandle
    private let owner: Owner?
    private let former: OwnerMark?
    private let until: Date?
    private let changedAt: Date
    private let change: Int64
    private let version: Int32
    private let protection: Int32?
    private let state: Handle.State
    private let isExempt: Bool

    init(_ record: Record) {
        (display, owner, former, until) = (record.display, record.owner, record.former, record.until)
        (changedAt, change, version) = (record.changedAt, record.change, Int32(clamping: record.version))
        (protection, state, isExempt) = (record.protection, record.state, record.isExempt)
    }

    func isClaimed(_ handle: Handle, by owner: Owner) -> Bool {
        state == .claimed && self.owner == owner && display.handle == handle
    }

    /// - Parameter place: the place among the names with the key.
    func stored(at place: Int) -> StoredName {
        let record = Record(
            display: display, state: state, owner: owner, former: former, hold: nil, reason: nil,
            version: Int64(version), change: change, until: until, changedAt: changedAt, place: Int32(place),
            protection: protection, isExempt: isExempt, hasLapsed: false)
        return StoredName(record: record, lastHash: [])
    }
}
