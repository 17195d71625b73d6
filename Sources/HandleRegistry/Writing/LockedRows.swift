import HandleRules
import HandleWords
import Postgres

import struct FoundationEssentials.Date

/// The rows that a transaction has locked, with the changes made in memory so far.
///
/// A dry run has only read them. The writer adds rows that it has only read, for changes that were refused before.
///
/// Each change sees the rows as the changes before it have left them.
package struct LockedRows: Sendable {
    let scope: Scope
    /// The start of the transaction, by the database's clock.
    let now: Date
    private let touches: Touches
    /// Handles that were read for refused changes. If such a change is made after all, nothing is committed.
    private var readHandles: Set<Handle> = []
    private var accounts: [OwnerMark: Account]
    private var entries: [LookalikeKey: LookalikeEntry]
    private var names: [Handle: StoredName]
    /// Handles of the keys that are kept for an owner or for the operator. They can't be changed.
    private var kept: [Handle: KnownName] = [:]
    /// The ends of owners' last holds of the handles that they are about to hold.
    private var lastHolds: [Handle: Date] = [:]
    private var storedAccounts: [OwnerMark: Account]
    private var storedEntries: [LookalikeKey: LookalikeEntry]
    /// The new versions of records, each with its event.
    private(set) var writes: [(record: Record, event: ChainedEvent)] = []

    /// - Parameters:
    ///   - accounts: the rows after the lock, which has counted the claims of `touches`.
    ///   - entries: the rows after the lock, which has noted the claims of `touches` in new rows, and only there.
    init(
        _ touches: Touches, accounts: [Account], entries: [LookalikeEntry], names: [StoredName], now: Date,
        in scope: Scope
    ) {
        self.touches = touches
        self.scope = scope
        self.now = now
        storedAccounts = Dictionary(accounts.map { ($0.mark, $0) }) { first, _ in first }
        storedEntries = Dictionary(entries.map { ($0.key, $0) }) { first, _ in first }
        self.names = Dictionary(names.map { ($0.record.handle, $0.read(at: now)) }) { first, _ in first }
        self.accounts = storedAccounts
        self.entries = storedEntries
        // The changes see the rows as they were before the lock.
        for (mark, owner) in touches.owners where owner.claims != 0 { self.accounts[mark]?.claimed -= owner.claims }
        for (key, handle) in touches.claimed where record(handle)?.isFree ?? true {
            // A row that existed before notes no free handle without an end. So a row that does is new.
            let new = LookalikeEntry(key: key, claimed: handle, now: now)
            if let entry = storedEntries[key], entry.read(at: now) == new {
                self.entries[key] = LookalikeEntry(key: key, now: entry.now)
            }
        }
    }

    /// The owners of the accounts.
    var marks: Dictionary<OwnerMark, Account>.Keys { accounts.keys }

    /// The look-alike keys of the rows.
    var keys: Dictionary<LookalikeKey, LookalikeEntry>.Keys { entries.keys }

    /// Replaces rows by the ones that earlier changes, which are not in the database, have left.
    mutating func replace(_ accounts: [Account], _ entries: [LookalikeEntry]) {
        for account in accounts {
            let account = account.read(at: now)
            (self.accounts[account.mark], storedAccounts[account.mark]) = (account, account)
        }
        for entry in entries {
            let entry = entry.read(at: now)
            (self.entries[entry.key], storedEntries[entry.key]) = (entry, entry)
        }
    }

    /// The kept handles of the keys that were not read yet; none if no handle is wanted.
    var unread: [Handle] {
        let kept = touches.hasWanted ? entries.values.flatMap(\.kept) : []
        return kept.isEmpty ? [] : Set(kept.filter { names[$0] == nil && self.kept[$0] == nil }).sorted()
    }

    /// Adds handles of ``unread``.
    mutating func include(kept records: some Sequence<Record>) {
        for record in records { kept[record.handle] = KnownName(record: record) }
    }

    /// Adds handles of ``unread`` that would be reserved by changes before.
    mutating func include(reserved owners: some Sequence<(Handle, Owner?)>) {
        for (handle, owner) in owners { kept[handle] = KnownName(reservedFor: owner) }
    }

    /// Adds the end of an owner's last hold of a handle that it is about to hold.
    mutating func include(lastHold end: Date, of handle: Handle) { lastHolds[handle] = end }

    /// Adds rows that were only read. The locked ones stay as they are.
    mutating func include(_ read: LockedRows) {
        readHandles.formUnion(read.touches.handles)
        accounts.merge(read.accounts) { locked, _ in locked }
        storedAccounts.merge(read.accounts) { locked, _ in locked }
        entries.merge(read.entries) { locked, _ in locked }
        storedEntries.merge(read.entries) { locked, _ in locked }
        names.merge(read.names) { locked, _ in locked }
        kept.merge(read.kept) { locked, _ in locked }
        lastHolds.merge(read.lastHolds) { locked, _ in locked }
    }

    /// True if the handle can be changed.
    func hasLocked(_ handle: Handle) -> Bool { touches.handles.contains(handle) }

    /// True if the owner's account can be changed.
    func hasLocked(_ owner: Owner) -> Bool { touches.owners[mark(of: owner)] != nil }

    private func mark(of owner: Owner) -> OwnerMark { touches.marks[owner] ?? scope.mark(of: owner) }

    /// The record of a handle in any state; nil if it has none.
    func record(_ handle: Handle) -> Record? { names[handle]?.record }

    /// The account of an owner, which must be locked.
    func account(of owner: Owner) -> Account {
        guard let account = accounts[mark(of: owner)] else { preconditionFailure("the owner is not locked") }
        return account
    }

    /// The row of a handle's look-alike key, which must be locked.
    func entry(of handle: Handle) -> LookalikeEntry {
        guard let entry = entries[LookalikeKey(handle)] else { preconditionFailure("the look-alike key is not locked") }
        return entry
    }

    /// The handle with its look-alike key, and with the kept handles that it looks like.
    func known(_ handle: Handle) -> KnownName {
        var known = KnownName(record: record(handle), lookalike: entry(of: handle))
        known.addKept(besides: handle) { other in record(other).map { KnownName(record: $0) } ?? kept[other] }
        return known
    }

    /// Time until which the owner that is about to hold the handle can't hold it again; nil when there is no pause.
    func pauseEnd(of handle: Handle) -> Date? {
        let end = lastHolds[handle]?.addingTimeInterval(scope.policy.holdPause.seconds)
        return end.flatMap { $0 > now ? $0 : nil }
    }

    /// The database's time after a duration, as it will be stored.
    func now(after duration: Duration) -> Date {
        Date(microsecondsSince1970: now.addingTimeInterval(duration.seconds).microsecondsSince1970)
    }

    /// The owner of a handle that is locked or kept, as far as it is known.
    func owner(of handle: Handle) -> Owner? { record(handle)?.owner ?? kept[handle]?.owner }

    mutating func set(_ account: Account) { accounts[account.mark] = account }

    mutating func set(_ entry: LookalikeEntry) { entries[entry.key] = entry }

    /// Notes in the row of the look-alike key that a handle is in use until `end`; nil for good.
    mutating func noteInUse(_ handle: Handle, until end: Date?) {
        entries[LookalikeKey(handle)]?.note(handle, until: end)
    }

    /// Notes in the row of the look-alike key that a handle is free.
    mutating func noteFree(_ handle: Handle) { entries[LookalikeKey(handle)]?.free(handle) }

    /// Writes the next version of a handle's record, and its event. The handle must be locked.
    /// - Returns: the record.
    @discardableResult
    mutating func write(
        _ display: DisplayHandle, _ state: Handle.State, owner: Owner? = nil, former: OwnerMark? = nil,
        hold: String? = nil,
        reason: String? = nil, until: Date? = nil, _ note: HistoryNote
    ) -> Record {
        precondition(
            hasLocked(display.handle) || readHandles.contains(display.handle), "the handle is not locked")
        let before = names[display.handle]
        let record = Record(
            display: display, state: state, owner: owner, former: former, hold: hold, reason: reason,
            version: (before?.record.version ?? 0) + 1, change: note.number, until: until,
            changedAt: before.map { max($0.record.changedAt, now) } ?? now, hasLapsed: false)
        let event = ChainedEvent(
            Event(
                version: record.version, at: record.changedAt, actor: note.cause.actor.name, action: note.action,
                from: before?.lastState ?? .free, to: state, display: display, owner: owner.map(mark) ?? former,
                reason: note.cause.reason ?? reason, related: note.related?.description, until: until),
            after: before?.lastHash)
        names[display.handle] = StoredName(record: record, lastState: state, lastHash: event.hash)
        writes.append((record, event))
        return record
    }

    /// The accounts that differ from their rows.
    var changedAccounts: [Account] {
        accounts.values.filter { $0 != storedAccounts[$0.mark] }
            .sorted { $0.mark.bytes.lexicographicallyPrecedes($1.mark.bytes) }
    }

    /// The look-alike keys that differ from their rows.
    var changedEntries: [LookalikeEntry] {
        entries.values.filter { $0 != storedEntries[$0.key] }.sorted { $0.key < $1.key }
    }
}
