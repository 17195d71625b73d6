import HandleRules

import struct FoundationEssentials.Date

/// The row of an owner in the table `owners`, read and locked in a transaction.
struct Account: Sendable, Equatable {
    let mark: OwnerMark
    /// The owner's id; nil if it was deleted, or is about to be stored first.
    var id: Owner?
    /// Number of handles that the owner has claimed.
    var claimed: Int64
    /// Handles quarantined for the owner. Those that lapsed by themselves stay until the next one.
    var quarantined: [Kept] = []
    /// The handle that the owner holds. A hold that ended by itself stays until the next one.
    var holds: [Kept] = []
    /// The end of the owner's lock, which may have passed; nil without a lock.
    var lockEnd: Date?
    /// The database's time when the row was read.
    var now: Date

    /// A handle that is kept for the owner until a moment.
    struct Kept: Sendable, Equatable {
        let handle: Handle
        let end: Date
    }

    /// The handle that the owner holds at the moment.
    var heldName: Handle? { holds.last { $0.end > now }?.handle }

    /// The lock in force.
    var lock: Decision.Lock? { lockEnd.flatMap { $0 > now ? Decision.Lock(end: $0) : nil } }

    mutating func noteHold(_ handle: Handle, until end: Date) {
        holds = holds.filter { $0.handle != handle && $0.end > now } + [Kept(handle: handle, end: end)]
    }

    mutating func endHold(of handle: Handle) { holds.removeAll { $0.handle == handle } }

    mutating func noteQuarantine(_ handle: Handle, until end: Date) {
        quarantined = quarantined.filter { $0.handle != handle && $0.end > now } + [Kept(handle: handle, end: end)]
    }

    mutating func endQuarantine(of handle: Handle) { quarantined.removeAll { $0.handle == handle } }

    /// The moment from which the owner can get a further handle, because fewer than ``Policy/keptNames`` are in
    /// quarantine; nil if it can now.
    func waitsUntil(_ policy: Policy) -> Date? {
        let ends = quarantined.map(\.end).filter { $0 > now }.sorted()
        guard policy.keptNames > 0, ends.count >= policy.keptNames else { return nil }
        return ends[ends.count - Int(policy.keptNames)]
    }
}

extension Account {
    /// The account of an owner without handles.
    init(mark: OwnerMark, now: Date) { self.init(mark: mark, claimed: 0, now: now) }

    /// The same account at another time.
    func read(at now: Date) -> Account {
        var account = self
        account.now = now
        return account
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double { self / .seconds(1) }
}
