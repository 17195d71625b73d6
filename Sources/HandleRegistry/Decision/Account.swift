import HandleCore

import struct FoundationEssentials.Date

/// The row of an owner in the table `owners`, read and locked in a transaction.
struct Account: Sendable, Equatable {
    let mark: OwnerMark
    /// Number of handles that the owner has claimed.
    var claimed: Int64
    /// Handles quarantined for the owner, oldest first.
    var quarantined: [Handle]
    /// Handles that the owner holds or held, oldest first, each with the end of its hold.
    var holds: [Hold]
    /// The database's time when the row was read.
    let now: Date

    struct Hold: Sendable, Equatable {
        let handle: Handle
        var end: Date
    }

    /// The most holds remembered within one pause; beyond that the oldest are forgotten.
    private static let rememberedHolds = 64

    /// The handle that the owner holds at the moment.
    var heldName: Handle? { holds.last { $0.end > now }?.handle }

    /// Time until which the owner can't hold the handle again; nil when there is no pause.
    func pause(of handle: Handle, _ pause: Duration) -> Date? {
        guard let hold = holds.last(where: { $0.handle == handle }), hold.end <= now else { return nil }
        let end = hold.end.addingTimeInterval(pause.seconds)
        return end > now ? end : nil
    }

    mutating func noteHold(_ handle: Handle, until end: Date, pause: Duration) {
        holds.removeAll { $0.handle == handle || $0.end.addingTimeInterval(pause.seconds) <= now }
        holds.append(Hold(handle: handle, end: end))
        holds = holds.suffix(Self.rememberedHolds)
    }

    mutating func endHold(of handle: Handle) {
        for index in holds.indices where holds[index].handle == handle && holds[index].end > now {
            holds[index].end = now
        }
    }

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
