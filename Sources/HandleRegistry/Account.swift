import HandleCore

import struct FoundationEssentials.Date

/// What the registry knows of one owner, read and locked in a transaction.
struct Account: Sendable {
    let mark: OwnerMark
    /// How many names they have claimed.
    var claimed: Int64
    /// The names that are kept for them, oldest first.
    var quarantined: [Handle]
    /// The names that they hold or held, oldest first, and when each hold ends or ended.
    var holds: [Hold]
    /// The database's time when it was read.
    let now: Date

    struct Hold: Sendable, Equatable {
        let handle: Handle
        var end: Date
    }

    /// More holds than this within one pause are forgotten, the oldest first.
    private static let rememberedHolds = 64

    /// The names that are kept for them at the moment: held or in quarantine.
    var kept: [Handle] { quarantined + (heldName.map { [$0] } ?? []) }

    /// The name that they hold at the moment.
    var heldName: Handle? { holds.last { $0.end > now }?.handle }

    /// Until when they can't hold the name again.
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

    /// Notes that a name goes into quarantine, when the policy has one.
    /// - Returns: the name that goes free for it, when too many are kept.
    mutating func noteQuarantine(_ handle: Handle, _ policy: Policy) -> Handle? {
        guard policy.quarantine > .zero else { return nil }
        quarantined.removeAll { $0 == handle }
        quarantined.append(handle)
        return quarantined.count > Policy.quarantinedPerOwner ? quarantined.removeFirst() : nil
    }
}

extension Duration {
    /// As a number of seconds.
    var seconds: Double { self / .seconds(1) }
}
