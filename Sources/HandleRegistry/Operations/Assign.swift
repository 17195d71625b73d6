package import HandleCore
import HandleText
package import Postgres

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

    package func outcomeAtOnce(_ words: ReservedWords) -> ChangeOutcome? { claim.outcomeAtOnce(words) }

    package func attempt(in scope: Scope, _ transaction: inout Transaction) async throws -> Attempt<ChangeOutcome> {
        guard let handle = claim.reading.handle else { return .again }
        guard let before = try await transaction.run(Lookup(handle: handle)).first, !before.isFree else {
            return .refuse(.refused(.notReserved(nil)))
        }
        var claim = claim
        switch before.state {
        case .reserved where before.owner == nil || before.owner == claim.owner || before.version == overruled:
            claim.reservation = before.version
        case .reserved: return .refuse(.refused(.notOwner(before)))
        // Perhaps an earlier attempt claimed it, and its COMMIT got no reply: the claim finds out.
        case .claimed where before.owner == claim.owner: break
        case .free, .held, .claimed, .quarantined: return .refuse(.refused(.notReserved(before)))
        }
        // The record was read without a row lock. The claim can take only this version of the reservation, or the
        // handle if it has become free. A claim of a free handle is not an assignment: then try again.
        let attempt = try await claim.attempt(in: scope, &transaction)
        switch attempt {
        case .commit(let outcome, _):
            let isAssigned = before.state == .reserved && outcome.record?.version == before.version + 1
            return isAssigned ? attempt : .again
        case .refuse(.refused(let refusal)) where refusal.reasons.contains(where: { $0.code == .taken }):
            return .again
        case .confirm, .refuse, .again: return attempt
        }
    }
}
