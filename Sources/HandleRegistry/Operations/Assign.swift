package import HandleCore
import HandleText
package import Postgres

/// How giving a reserved name to an owner ended.
package enum AssignOutcome: Sendable {
    /// The name has passed to the owner.
    case assigned(Record)
    /// The owner had claimed it already; nothing has changed.
    case already(Record)
    /// It is reserved for another owner, who would lose what they were promised.
    case promised(Record)
    /// It is not reserved: somebody has it, or nobody, which is nil.
    case notReserved(Record?)
    /// The owner can't have it; the decision says why.
    case refused(Decision)
}

/// Makes a reservation the claim of an owner. To repeat it is a success. An owner is never overwritten.
///
/// It is a ``Claim`` for which the reservation counts as the owner's.
package struct Assign: Operation {
    private let claim: Claim
    /// The version of a reservation for another owner that an admin has decided to take away from them.
    private let overruled: Int64?

    /// - Parameter input: the name as typed; its capitals become the display handle.
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
        // Maybe by an attempt whose answer was lost: the claim knows.
        case .claimed where before.owner == claim.owner: break
        case .free, .held, .claimed, .quarantined: return .refuse(.notReserved(before))
        }
        // The name was not locked when it was read. The claim takes this version of the reservation and no other, or it
        // takes a name that has become free meanwhile, which is not what was asked for.
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
