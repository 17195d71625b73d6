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
    private var storedAccounts: [OwnerMark: Account]
    /// The names with the locked keys, in the order of their places.
    private var names: [LookalikeKey: [StoredName]]
    /// The ends of owners' last holds of the handles that they are about to hold.
    private var lastHolds: [Handle: Date] = [:]
    /// The new versions of records, each with its event.
    private(set) var writes: [(name: StoredName, event: ChainedEvent)] = []

    /// - Parameters:
    ///   - accounts: the rows after the lock, which has counted the claims of `touches`.
    ///   - names: in the order of their places.
    init(_ touches: Touches, accounts: [Account], names: [StoredName], now: Date, in scope: Scope) {
        self.touches = touches
        self.scope = scope
        self.now = now
        storedAccounts = Dictionary(accounts.map { ($0.mark, $0) }) { first, _ in first }
        self.accounts = storedAccounts
        self.names = Dictionary(grouping: names.map { $0.read(at: now) }) { LookalikeKey($0.record.handle) }
        // The changes see the rows as they were before the lock.
        for (mark, owner) in touches.owners where owner.claims != 0 { self.accounts[mark]?.claimed -= owner.claims }
    }

    /// The owners of the accounts.
    var marks: Dictionary<OwnerMark, Account>.Keys { accounts.keys }

    /// Replaces accounts by the ones that earlier changes, which are not in the database, have left.
    mutating func replace(_ accounts: [Account]) {
        for account in accounts {
            let account = account.read(at: now)
            (self.accounts[account.mark], storedAccounts[account.mark]) = (account, account)
        }
    }

    /// Replaces the names with a key by the ones that earlier changes, which are not in the database, have left.
    mutating func replace(_ names: [StoredName], with key: LookalikeKey) {
        self.names[key] = names.map { $0.read(at: now) }
    }

    /// Adds the end of an owner's last hold of a handle that it is about to hold.
    mutating func include(lastHold end: Date, of handle: Handle) { lastHolds[handle] = end }

    /// Adds rows that were only read. The locked ones stay as they are.
    mutating func include(_ read: LockedRows) {
        readHandles.formUnion(read.touches.handles)
        accounts.merge(read.accounts) { locked, _ in locked }
        storedAccounts.merge(read.accounts) { locked, _ in locked }
        let locked = Set(touches.keys)
        for (key, names) in read.names where !locked.contains(key) { self.names[key] = names }
        lastHolds.merge(read.lastHolds) { locked, _ in locked }
    }

    /// True if the handle can be changed.
    func hasLocked(_ handle: Handle) -> Bool { touches.handles.contains(handle) }

    /// True if the owner's account can be changed.
    func hasLocked(_ mark: OwnerMark) -> Bool { touches.owners[mark] != nil }

    func mark(of owner: Owner) -> OwnerMark { touches.marks[owner] ?? scope.mark(of: owner) }

    /// The names with a key in any state, in the order of their places.
    func names(with key: LookalikeKey) -> [StoredName] { names[key] ?? [] }

    /// The record of a handle in any state; nil if it has none.
    func record(_ handle: Handle) -> Record? {
        names[LookalikeKey(handle)]?.first { $0.record.handle == handle }?.record
    }

    /// The account of an owner, which must be locked.
    func account(of owner: Owner) -> Account { account(mark(of: owner)) }

    /// The account with a mark, which must be locked.
    func account(_ mark: OwnerMark) -> Account {
        guard let account = accounts[mark] else { preconditionFailure("the owner is not locked") }
        return account
    }

    /// The lock of an owner, if it binds the actor. The owner's account must be locked.
    func lock(of owner: Owner, for actor: Cause.Actor) -> Decision.Lock? {
        actor.rights == .admin ? nil : account(of: owner).lock
    }

    /// The handle with its look-alikes.
    /// - Parameter other: a look-alike that is about to be given up, and doesn't count.
    func known(_ handle: Handle, without other: Handle? = nil) -> KnownName {
        let records = names(with: LookalikeKey(handle)).lazy.map(\.record)
        return KnownName(of: handle, among: records.filter { $0.handle != other }.compactMap { NameInUse($0) })
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

    mutating func set(_ account: Account) { accounts[account.mark] = account }

    /// Writes the next version of a handle's record, and its event. The handle must be locked.
    ///
    /// Protection and exemption stay as long as the handle is in use. A reservation is protected after those that are
    /// protected already.
    /// - Parameters:
    ///   - isForwarded: true if the handle, in quarantine, leads to its former owner's present one.
    ///   - isAllowed: true if an admin allows the handle in spite of its look-alikes.
    ///   - isProtected: whether look-alikes of the handle are refused; nil if that follows from the states.
    /// - Returns: the record.
    @discardableResult
    mutating func write(
        _ display: DisplayHandle, _ state: Handle.State, owner: Owner? = nil, former: OwnerMark? = nil,
        hold: String? = nil, reason: String? = nil, until: Date? = nil, offer: Record.Offered? = nil,
        isForwarded: Bool = false, isAllowed: Bool = false, isProtected: Bool? = nil, _ note: HistoryNote
    ) -> Record {
        precondition(
            hasLocked(display.handle) || readHandles.contains(display.handle), "the handle is not locked")
        let key = LookalikeKey(display.handle)
        let names = names(with: key)
        let index = names.firstIndex { $0.record.handle == display.handle } ?? names.endIndex
        let before = index < names.endIndex ? names[index] : nil
        let inUse = state == .free ? nil : before.map(\.record).flatMap { $0.isFree ? nil : $0 }
        let protections = names.lazy.map(\.record).filter { !$0.isFree }.compactMap(\.protection)
        let isProtected = isProtected ?? (state == .reserved || inUse?.protection != nil)
        let isNew = isProtected && inUse?.protection == nil
        let record = Record(
            display: display, state: state, owner: owner, former: former, hold: hold, reason: reason, offer: offer,
            version: (before?.record.version ?? 0) + 1, change: note.number, until: until,
            changedAt: before.map { max($0.record.changedAt, now) } ?? now,
            place: before?.record.place ?? Int32(names.count),
            protection: isNew ? (protections.max() ?? 0) + 1 : isProtected ? inUse?.protection : nil,
            isExempt: isAllowed || inUse?.isExempt ?? false || isNew && !protections.isEmpty,
            isForwarded: isForwarded, hasLapsed: false)
        let event = ChainedEvent(
            Event(
                version: record.version, at: record.changedAt, actor: note.cause.actor.name, action: note.action,
                from: before?.record.state ?? .free, to: state, display: display, owner: owner.map(mark) ?? former,
                reason: note.cause.reason ?? reason, related: note.related?.description, until: until),
            after: before?.lastHash)
        let name = StoredName(record: record, lastHash: event.hash)
        self.names[key] = names[..<index] + [name] + names[index...].dropFirst()
        writes.append((name, event))
        return record
    }

    /// The accounts that differ from their rows.
    var changedAccounts: [Account] {
        accounts.values.filter { $0 != storedAccounts[$0.mark] }
            .sorted { $0.mark.bytes.lexicographicallyPrecedes($1.mark.bytes) }
    }
}
