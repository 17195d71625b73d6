import HandleRules
import HandleWords
import Postgres

import struct FoundationEssentials.Date

extension Transaction {
    /// Locks rows in the lock order, and reads the records of the handles. One round trip, or two if a handle looks like
    /// one that is kept.
    mutating func lock(_ touches: Touches, in scope: Scope) async throws -> LockedRows {
        let handles = touches.handles.sorted()
        let keys = Set(handles.map { LookalikeKey($0) }).sorted()
        let owners = touches.owners.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
            .map { LockAccount(mark: $0, id: $1.storesID ? $1.owner.id : nil, claims: $1.claims) }
        let locks = keys.map { LockLookalike(key: $0, claimed: touches.claimed[$0]) }
        var (accounts, entries, names): ([Account], [LookalikeEntry], [StoredName])
        if handles.count == 1, owners.count == 1, touches.promised.isEmpty {
            // Statements about one row are faster, and in a distributed database run on one node only.
            (accounts, entries, names) = try await run(owners[0], locks[0], LockName(handle: handles[0]))
        } else if handles.count == 1, owners.isEmpty, touches.promised.isEmpty {
            accounts = []
            (entries, names) = try await run(locks[0], LockName(handle: handles[0]))
        } else if touches.promised.isEmpty {
            (accounts, entries, names) = try await run(
                LockAccounts(locks: owners), LockLookalikes(locks: locks), LookupStored(handles: handles))
        } else {
            (accounts, _, entries, names) = try await run(
                LockAccounts(locks: owners), LockOwners(marks: Array(touches.promised)), LockLookalikes(locks: locks),
                LookupStored(handles: handles))
        }
        if names.contains(where: { $0.lastHash == nil }) {
            // The record changed while the lock was awaited.
            names = try await run(LookupStored(handles: handles))
        }
        guard let now = entries.first?.now ?? accounts.first?.now else {
            throw PostgresError(.unreadable, "the server has locked no rows")
        }
        var rows = LockedRows(touches, accounts: accounts, entries: entries, names: names, now: now, in: scope)
        try await lockKept(&rows)
        try await readLastHolds(touches, &rows)
        return rows
    }

    /// Reads how long a pause lasts in which an owner can't hold a handle again. New handles have none.
    private mutating func readLastHolds(_ touches: Touches, _ rows: inout LockedRows) async throws {
        let policy = rows.scope.policy
        let beginning = rows.now.addingTimeInterval(-(policy.holdPause + Policy.holdRange.upperBound).seconds)
        for (handle, mark) in touches.held where policy.holdPause > .zero && rows.record(handle) != nil {
            let ends: [Date] = try await run(LastHold(handle: handle, mark: mark, beginning: beginning))
            if let end = ends.first { rows.include(lastHold: end, of: handle) }
        }
    }

    /// Reads the kept handles of the locked keys. There are rarely any.
    ///
    /// The lock of the key prevents changes of these handles, so their locks can't deadlock. Their records are locked all
    /// the same, because a distributed database commits on one node after the other: the key may be free before the
    /// record is as its change has left it. It locks several records by an update only.
    private mutating func lockKept(_ rows: inout LockedRows) async throws {
        let handles = rows.unread
        switch handles.count {
        case 0: break
        case 1:
            let names = try await run(LockName(handle: handles[0]))
            rows.include(kept: names.map { $0.read(at: rows.now).record })
        default:
            let (_, records) = try await run(ConfirmAll(handles: handles), LookupMany(handles: handles))
            rows.include(kept: records)
        }
    }

    /// Reads the same rows without locks, as a lock would return them. One round trip, or two as in ``lock(_:in:)``.
    mutating func read(_ touches: Touches, in scope: Scope) async throws -> LockedRows {
        let handles = touches.handles.sorted()
        let keys = Set(handles.map { LookalikeKey($0) })
        let marks = Set(touches.owners.keys)
        let (times, accounts, entries, records) = try await run(
            TransactionTime(), LookupNotes(marks: Array(marks)), LookupLookalikes(keys: Array(keys)),
            LookupMany(handles: handles))
        guard let now = times.first else { throw PostgresError(.unreadable, "the server did not tell its time") }
        let newMarks = marks.subtracting(accounts.map(\.mark))
        let newKeys = keys.subtracting(entries.map(\.key))
        var rows = LockedRows(
            touches.uncounted, accounts: accounts + newMarks.map { Account(mark: $0, now: now) },
            entries: entries + newKeys.map { LookalikeEntry(key: $0, now: now) },
            names: records.map { StoredName(record: $0, lastState: $0.state, lastHash: nil) }, now: now, in: scope)
        rows.include(kept: try await lookUp(rows.unread).values)
        try await readLastHolds(touches, &rows)
        return rows
    }

    /// The existing records of some handles.
    mutating func lookUp(_ handles: [Handle]) async throws -> [Handle: Record] {
        handles.isEmpty ? [:] : try await run(LookupMany(handles: handles)).byHandle
    }

    /// Adds the writes of changes to the round trip of the commit.
    mutating func writeLast(_ rows: LockedRows) {
        let writes = rows.writes.sorted { $0.record.handle < $1.record.handle }
        if let (record, event) = writes.first, writes.count == 1 {
            runLast(PutName(record: record))
            runLast(AppendEvent(event: event))
        } else if !writes.isEmpty {
            runLast(PutNames(records: writes.map(\.record)))
            runLast(AppendEvents(events: writes.map(\.event)))
        }
        for account in rows.changedAccounts { runLast(PutAccount(account: account)) }
        putLast(rows.changedEntries)
    }

    /// Adds the writes of changed look-alike keys to the round trip of the commit.
    mutating func putLast(_ entries: [LookalikeEntry]) {
        let plain = entries.filter(\.isPlain)
        let others = entries.filter { !$0.isPlain }
        if plain.count == 1 {
            runLast(PutLookalike(entry: plain[0]))
        } else if !plain.isEmpty {
            runLast(PutProtectors(entries: plain))
        }
        for entry in others { runLast(PutLookalike(entry: entry)) }
    }
}

extension LookalikeEntry {
    /// True if the key has no handle but the protected one.
    fileprivate var isPlain: Bool { names.isEmpty && exempt.isEmpty }
}
