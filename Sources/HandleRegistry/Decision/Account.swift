import HandleRules

import struct FoundationEssentials.Date

/// The row of an owner in the table `owners`, read and locked in a transaction.
struct Account: Sendable, Equatable {
    let mark: OwnerMark
    /// Number of handles that the owner has claimed.
    var claimed: Int64
    /// Handles quarantined for the owner, oldest first.
    var quarantined: [Handle]
    /// The handle that the owner holds, with the end of its hold. A hold that ended by itself stays until the next one.
    var holds: [Hold]
    /// The database's time when the row was read.
    let now: Date

    struct Hold: Sendable, Equatable {
        let handle: Handle
        let end: Date
    }

    /// The handle that the owner holds at the moment.
    var heldName: Handle? { holds.last { $0.end > now }?.handle }

    mutating func noteHold(_ handle: Handle, until end: Date) {
        holds = holds.filter { $0.handle != handle && $0.end > now } + [Hold(handle: handle, end: end)]
    }

    mutating func endHold(of handle: Handle) { holds.removeAll { $0.handle == handle } }

    /// Notes that a handle goes into quarantine, if the policy has one.
    /// - Returns: the handle to free because the owner has too many in quarantine.
    mutating func noteQuarantine(_ handle: Handle, _ policy: Policy) -> Handle? {
        guard policy.quarantine > .zero else { return nil }
        quarantined.removeAll { $0 == handle }
        quarantined.append(handle)
        return quarantined.count > Policy.quarantinedPerOwner ? quarantined.removeFirst() : nil
    }
}

extension Account {
    /// The account of an owner without handles.
    init(mark: OwnerMark, now: Date) { self.init(mark: mark, claimed: 0, quarantined: [], holds: [], now: now) }

    /// The same account at another time.
    func read(at now: Date) -> Account {
        Account(mark: mark, claimed: claimed, quarantined: quarantined, holds: holds, now: now)
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double { self / .seconds(1) }
}
