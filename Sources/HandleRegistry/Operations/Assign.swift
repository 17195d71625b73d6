package import HandleCore
import HandleText
package import Postgres

/// Outcome of assigning a reserved handle to an owner.
package enum AssignOutcome: Sendable {
    /// The owner has claimed the handle now.
    case assigned(Record)
    /// The owner had claimed it already; nothing has changed.
    case already(Record)
    /// It is reserved for another owner, and stays so.
    case promised(Record)
    /// It is not reserved; the record, or nil if the handle is free.
    case notReserved(Record?)
    /// The handle is refused; the decision has the reasons.
    case refused(Decision)
}

/// Turns a reservation into a claim of an owner. Repeating it succeeds. No claim or hold of another owner is replaced.
///
/// It is a ``Claim`` that may take the reservation.
package struct Assign: Operation {
    private let claim: Claim
    /// The version of a reservation for another owner that an admin has decided to override.
    private let overruled: Int64?

    /// - Parameter input: the handle as typed; its capitals become the display handle.
    package init(_ input: String, to owner: Owner, overruling version: Int64? = nil, _ cause: Cause) {
        claim = Claim(input, for: owner, cause)
        overruled = version
    }

    package func outcomeAtOnce(_ words: ReservedWords) -> AssignOutcome? {
        claim.reading.handle == nil ? .refused(.decide(claim.input, words: words)) : nil
    }

    package func attempt(in scope: Scope, _ transaction: inout Transaction) async throws -> Attempt<AssignOutcome> {
        guard let handle = claim.reading.handle else { return .again }
        guard let before = try await transaction.run(Lookup(handle: handle)).first, !before.isFree else {
            return .refuse(.notReserved(nil))
        }
        var claim = claim
        switch before.state {
        case .reserved where before.owner == nil || before.owner == claim.owner || before.version == overruled:
            claim.reservation = before.version
        case .reserved: return .refuse(.promised(before))
        // Perhaps an earlier attempt claimed it, and its COMMIT got no reply: the claim finds out.
        case .claimed where before.owner == claim.owner: break
        case .free, .held, .claimed, .quarantined: return .refuse(.notReserved(before))
        }
        // The record was read without a row lock. The claim can take only this version of the reservation, or the
        // handle if it has become free. A claim of a free handle is not an assignment: then try again.
        switch try await claim.attempt(in: scope, &transaction) {
        case .commit(.taken(let record), _):
            return before.state == .reserved && record.version == before.version + 1
                ? .commit(.assigned(record), made: record) : .again
        case .confirm(.taken(let record), let handle, let version):
            return .confirm(.assigned(record), handle, version: version)
        case .confirm(.already(let record), let handle, let version):
            return .confirm(.already(record), handle, version: version)
        case .refuse(.refused(let decision)):
            return decision.reasons.contains { $0.code == .taken } ? .again : .refuse(.refused(decision))
        case .commit, .confirm, .refuse, .again: return .again
        }
    }
}
