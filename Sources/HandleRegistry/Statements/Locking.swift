import HandleRules
import HandleWords
import Postgres

import struct FoundationEssentials.Date

extension Transaction {
    /// Locks rows in the lock order, and reads them. One round trip for one handle, and otherwise two if there are rows.
    mutating func lock(_ touches: Touches, in scope: Scope) async throws -> LockedRows {
        let keys = touches.keys
        let owners = touches.owners.sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
            .map { LockAccount(mark: $0, id: $1.id, claims: $1.claims) }
        var (accounts, names, times): ([Account], [StoredName], [Date])
        if keys.count == 1, owners.count == 1, touches.promised.isEmpty {
            // A statement about one row is faster, and in a distributed database runs on one node only.
            (accounts, _, names) = try await run(owners[0], LockKey(key: keys[0]), LookupStored(keys: keys))
            times = accounts.map(\.now)
        } else if keys.count == 1, owners.isEmpty, touches.promised.isEmpty {
            (_, names, times) = try await run(LockKey(key: keys[0]), LookupStored(keys: keys), TransactionTime())
            accounts = []
        } else {
            (accounts, _, names, times) = try await run(
                LockAccounts(locks: owners), LockOwners(marks: Array(touches.promised)), LookupStored(keys: keys),
                TransactionTime())
            let known = Set(names.map { LookalikeKey($0.record.handle) }).sorted()
            if !known.isEmpty {
                names = try await run(after: known.map { LockKey(key: $0) }, LookupStored(keys: known))
            }
        }
        guard let now = times.first else { throw PostgresError(.unreadable, "the server did not tell its time") }
        var rows = LockedRows(touches, accounts: accounts, names: names, now: now, in: scope)
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

    /// Reads the same rows without locks, as a lock would return them.
    mutating func read(_ touches: Touches, in scope: Scope) async throws -> LockedRows {
        let marks = Set(touches.owners.keys)
        let (times, accounts, names) = try await run(
            TransactionTime(), LookupNotes(marks: Array(marks)), LookupStored(keys: touches.keys))
        guard let now = times.first else { throw PostgresError(.unreadable, "the server did not tell its time") }
        let newMarks = marks.subtracting(accounts.map(\.mark))
        var rows = LockedRows(
            touches.uncounted, accounts: accounts + newMarks.map { Account(mark: $0, now: now) }, names: names,
            now: now, in: scope)
        try await readLastHolds(touches, &rows)
        return rows
    }

    /// The existing records of some handles, and of those that look like one of them.
    mutating func lookUp(_ handles: [Handle]) async throws -> [Handle: Record] {
        handles.isEmpty ? [:] : try await run(LookupRecords(handles: handles)).byHandle
    }

    /// Adds the writes of changes to the round trip of the commit.
    mutating func writeLast(_ rows: LockedRows) {
        if let (name, event) = rows.writes.first, rows.writes.count == 1 {
            runLast(PutName(name: name))
            runLast(AppendEvent(event: event))
        } else if !rows.writes.isEmpty {
            let names = rows.writes.map { (key: LookalikeKey($0.name.record.handle), name: $0.name) }
            let sorted = names.sorted { ($0.key, $0.name.record.place) < ($1.key, $1.name.record.place) }
            runLast(PutNames(names: sorted.map(\.name)))
            runLast(AppendEvents(events: rows.writes.map(\.event).sorted { $0.event.handle < $1.event.handle }))
        }
        if !rows.writes.isEmpty {
            runLast(
                NoteForFeed(
                    rows: rows.writes.map(\.event.event).map {
                        OutboxRow(at: $0.at, version: $0.version, handle: $0.handle)
                    }))
        }
        for account in rows.changedAccounts { runLast(PutAccount(account: account)) }
    }
}
