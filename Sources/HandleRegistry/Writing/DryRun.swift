import HandleRules
import HandleWords
import Postgres

import struct FoundationEssentials.Date

/// Plans claims and reservations as the ``Writer`` does, on rows that it reads without locks, and commits nothing.
///
/// Each change sees the rows as the changes before it would have left them. For that, the rows of owners and of
/// look-alike keys that would be changed stay in memory, with the owners that handles would be reserved for.
actor DryRun {
    private let registry: Registry
    private var accounts: [OwnerMark: Account] = [:]
    private var entries: [LookalikeKey: PlannedEntry] = [:]

    /// The changes planned on the rows of one transaction.
    private static let plannedAtOnce = 10_000

    init(_ registry: Registry) { self.registry = registry }

    /// The outcomes that the changes would have, one after the other.
    /// - Parameter changes: no two of one handle, in all calls together.
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

    private func plan<C: Change>(_ batch: inout ChangeBatch<C>) async throws {
        let scope = try await registry.writes.scope()
        var part = batch.pending
        var rows = try await registry.pool.transaction(
            beginningWith: [LongStatements()], until: .now + LongStatements.longest
        ) { transaction in
            let records = try await transaction.lookUp(batch.lookedUp(part, scope))
            batch.refuse(&part, records, scope)
            let rows = try await transaction.read(batch.rowsToLock(for: part, records, scope), in: scope)
            try await transaction.rollBack()
            return rows
        }
        // Nothing is awaited from here on, so calls do not see each other's changes half made.
        rows.replace(
            rows.marks.compactMap { accounts[$0] }, rows.keys.compactMap { entries[$0]?.entry($0, now: rows.now) })
        // A handle that is protected and has no record would be reserved by a change before.
        rows.include(reserved: rows.unread.map { ($0, entries[LookalikeKey($0)]?.owner(of: $0)) })
        let plans = batch.plan(part, in: &rows)
        guard plans.more.isEmpty else { return }
        batch.settle(plans.made + plans.idle)
        for account in rows.changedAccounts { accounts[account.mark] = account }
        for entry in rows.changedEntries { entries[entry.key] = PlannedEntry(entry, owner: rows.owner) }
    }
}

/// The row of a look-alike key, small where it would be new: there are millions of these in a long run.
private enum PlannedEntry {
    case protecting(Handle, until: Date?, for: Owner?)
    case using(Handle)
    case other(Box)

    final class Box: Sendable {
        let entry: LookalikeEntry
        let owners: [Handle: Owner]
        init(_ entry: LookalikeEntry, _ owner: (Handle) -> Owner?) {
            self.entry = entry
            owners = entry.protectors.reduce(into: [:]) { owners, handle in owners[handle] = owner(handle) }
        }
    }

    /// - Parameter owner: returns the owner of a protected handle.
    init(_ entry: LookalikeEntry, owner: (Handle) -> Owner?) {
        if let protector = entry.protector {
            self = .protecting(protector, until: entry.protectedUntil, for: owner(protector))
        } else if let name = entry.names.first {
            self = .using(name.handle)
        } else {
            self = .other(Box(entry, owner))
        }
        if self.entry(entry.key, now: entry.now) != entry { self = .other(Box(entry, owner)) }
    }

    /// The owner that a protected handle would be reserved for.
    func owner(of handle: Handle) -> Owner? {
        switch self {
        case .protecting(_, _, let owner): owner
        case .using: nil
        case .other(let box): box.owners[handle]
        }
    }

    func entry(_ key: LookalikeKey, now: Date) -> LookalikeEntry {
        var entry = LookalikeEntry(key: key, now: now)
        switch self {
        case .protecting(let handle, let until, _): (entry.protector, entry.protectedUntil) = (handle, until)
        case .using(let handle): entry.names = [LookalikeEntry.Name(handle: handle, end: nil)]
        case .other(let box): entry = box.entry
        }
        return entry
    }
}
