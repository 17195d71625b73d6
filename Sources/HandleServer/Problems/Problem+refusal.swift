import HandleRegistry
import HandleRules
import Hummingbird

import struct FoundationEssentials.Date

extension Problem {
    /// The problem for a change that was refused to a caller.
    init(_ refusal: Refusal, for caller: Caller) {
        self =
            switch refusal {
            case .decision(let decision): .refused(decision, for: caller.audience)
            case .notOwner(let record): .notOwner(record, caller)
            case .needsAdmin(let record):
                if case .keyHolder(let holder) = caller {
                    .missingScope(.admin, of: holder)
                } else {
                    .notOwner(record, caller)
                }
            case .notClaimed, .notReserved: .noSuchHandle
            case .changed: .preconditionFailed
            case .paused(let end): .holdPaused(until: end)
            }
    }

    /// Refusal of a name: 409 if it is taken, otherwise 422.
    static func refused(_ decision: Decision, for audience: Audience) -> Problem {
        let reasons = decision.reasons(for: audience)
        var problem = Problem(
            reasons.first.flatMap { ProblemType(rawValue: $0.code.rawValue) } ?? .taken,
            reasons.map(\.message).joined(separator: " "))
        problem.reasons = reasons
        problem.audience = audience
        return problem
    }

    static let noSuchHandle = Problem(.noSuchHandle, "This handle is not claimed.")

    private static let preconditionFailed = Problem(
        .preconditionFailed,
        "The handle does not match 'If-Match' or 'owner', so nothing was changed; read it again before you change it.")

    /// The problem for another owner's name. It tells a person only whether the handle is claimed, as a read of the
    /// handle does.
    private static func notOwner(_ record: Record, _ caller: Caller) -> Problem {
        guard caller.person != nil else {
            return Problem(.notTheirs, "This handle belongs to another owner; only its owner can rename it.")
        }
        return record.state == .claimed ? .notYourOwn(.claim) : .noSuchHandle
    }

    private static func holdPaused(until end: Date) -> Problem {
        Problem(
            .holdPaused,
            "The owner's hold of this handle ended recently. The owner can hold it again from \(end.rfc3339), or claim it "
                + "now.", headers: [.retryAfter: String(max(1, Int(end.timeIntervalSinceNow.rounded(.up))))])
    }
}
