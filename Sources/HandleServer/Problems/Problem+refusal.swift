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
            case .locked(let lock): .refused([lock.reason], for: caller.audience)
            case .notOwner(let record): .notOwner(record, caller)
            case .needsAdmin(let record):
                if case .keyHolder(let holder) = caller {
                    .missingScope(.moderate, of: holder)
                } else {
                    .notOwner(record, caller)
                }
            case .notClaimed, .notReserved: .noSuchHandle
            case .changed: .preconditionFailed
            case .paused(let end): .holdPaused(until: end)
            }
    }

    /// Refusal of a name: 403 if the owner is locked; otherwise by the first reason, 409 if the name is taken, else 422.
    static func refused(_ decision: Decision, for audience: Audience) -> Problem {
        refused(decision.reasons(for: audience), for: audience)
    }

    private static func refused(_ reasons: [Reason], for audience: Audience) -> Problem {
        let main = reasons.first { $0.code == .ownerLocked } ?? reasons.first
        var headers: HTTPFields = [:]
        if case .tooManyChanges(let end) = main { headers = .retryAfter(Date(secondsSince1970: end)) }
        var problem = Problem(
            main.flatMap { ProblemType(rawValue: $0.code.rawValue) } ?? .taken,
            reasons.map(\.message).joined(separator: " "), headers: headers)
        problem.reasons = reasons
        problem.audience = audience
        return problem
    }

    static let noSuchHandle = Problem(.noSuchHandle, "This handle is not claimed.")

    private static let preconditionFailed = Problem(
        .preconditionFailed,
        "The handle does not match 'If-Match', 'owner' or 'from', so nothing was changed; read it again before you change "
            + "it.")

    /// The problem for another owner's name. It tells a person only whether the handle is claimed, as a read of the
    /// handle does.
    private static func notOwner(_ record: Record, _ caller: Caller) -> Problem {
        guard caller.person != nil else {
            return Problem(.notTheirs, "This handle belongs to another owner; only its owner can rename or offer it.")
        }
        return record.state == .claimed ? .notYourOwn(.claim) : .noSuchHandle
    }

    private static func holdPaused(until end: Date) -> Problem {
        Problem(
            .holdPaused,
            "The owner's hold of this handle ended recently. The owner can hold it again from \(end.rfc3339), or claim it "
                + "now.", headers: .retryAfter(end))
    }
}

extension HTTPFields {
    /// The header `Retry-After` with the seconds until a moment.
    fileprivate static func retryAfter(_ end: Date) -> HTTPFields {
        [.retryAfter: String(Swift.max(1, Int(end.timeIntervalSinceNow.rounded(.up))))]
    }
}
