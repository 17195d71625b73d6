package import HandleRules
import HandleWords

package import struct FoundationEssentials.Date

/// The outcome of a change of one handle.
package enum ChangeOutcome: Sendable, Equatable {
    /// The change is made; the record after it.
    case done(Record)
    /// The record is as wanted already, and nothing has changed.
    case already(Record)
    /// Nothing has changed.
    case refused(Refusal)

    /// The record as it is now; nil if the change was refused.
    package var record: Record? {
        switch self {
        case .done(let record), .already(let record): record
        case .refused: nil
        }
    }

    package var isDone: Bool { if case .done = self { true } else { false } }

    /// Refuses a name that breaks a rule of form, which needs no query; nil for a well-formed one.
    init?(refusingMalformed reading: Reading, _ words: ReservedWords) {
        guard !reading.isWellFormed else { return nil }
        self = .refused(.decision(.decide(reading, word: reading.word(in: words))))
    }

    /// The refusal of a name that breaks a rule of form.
    static func malformed(_ reading: Reading) -> ChangeOutcome {
        .refused(.decision(.decide(reading, word: nil)))
    }
}

/// The reason why a change was not made.
package enum Refusal: Sendable, Equatable {
    /// The caller can't have the handle; the decision has the reasons.
    case decision(Decision)
    /// The handle is another owner's, or reserved for another owner.
    case notOwner(Record)
    /// Only an admin may make the change: the handle is reserved, or is to be free at once.
    case needsAdmin(Record)
    /// The handle is free, or not claimed although the change needs a claim.
    case notClaimed
    /// The change to undo was never made or is undone, or the handle is reserved by another one; the record, or nil if the
    /// handle is free.
    case notReserved(Record?)
    /// The record, nil if there is none, is not as the precondition says.
    case changed(Record?)
    /// The owner's last hold of the handle ended a moment ago. The owner can't hold it again before this time.
    case paused(until: Date)
    /// The owner is locked. Admins can change its handles.
    case locked(Decision.Lock)

    /// The reasons against the handle, if it was decided about.
    package var reasons: [Reason] { if case .decision(let decision) = self { decision.reasons } else { [] } }
}
