package import HandleRules
import Postgres

package import struct FoundationEssentials.Date

/// A lock of an owner, or its end, as stored in the owner's history.
package struct OwnerEvent: Sendable {
    package let mark: OwnerMark
    /// The owner's id; nil once it was deleted.
    package let owner: Owner?
    /// Counts the events of the owner, from 1.
    package let version: Int64
    package let at: Date
    package let actor: String
    package let action: Action
    package let reason: String?
    /// The time at which the lock ends by itself; nil for no end.
    package let until: Date?

    package enum Action: String, Sendable, CaseIterable { case locked, unlocked }
}

extension OwnerEvent {
    /// The end of the lock after the event; nil for an owner that is not locked.
    var lockEnd: Date? { action == .locked ? until ?? Decision.Lock.endless : nil }

    /// True if the owner was locked like this before, and still is.
    func isLock(until end: Date?, _ why: String?) -> Bool {
        action == .locked && until.isSameMoment(as: end) && reason == why
    }

    /// The hash that chains the event to the previous one. ``FindBrokenLocks`` computes the same in SQL.
    /// - Parameter previous: the hash of the owner's event before it, if any.
    func hash(after previous: [UInt8]?) -> [UInt8] {
        var text = Array("[\"\(mark)\"".utf8)
        text.append(comma: version)
        text.append(comma: at.microsecondsSince1970)
        text.append(comma: actor)
        text.append(comma: action.rawValue)
        text.append(comma: reason)
        if let until { text.append(comma: until.microsecondsSince1970) } else { text += ", null".utf8 }
        return SHA256(previous ?? [], text + "]".utf8).bytes
    }
}

extension OwnerEvent {
    /// True if both are the same event, of the same owner.
    func isSame(as other: OwnerEvent) -> Bool {
        mark == other.mark && version == other.version && at.isSameMoment(as: other.at) && actor == other.actor
            && action == other.action && reason == other.reason && until.isSameMoment(as: other.until)
    }
}
