package import HandleRules
package import HandleWords

/// Turns a reservation into a claim of an owner. Repeating it succeeds. No claim or hold of another owner is replaced.
/// Refused if the handle looks like a protected one of another owner, unless it was reserved for this owner.
///
/// It is a ``Claim`` that may take the reservation.
package struct Assign: Change {
    private let claim: Claim
    /// The version of a reservation for another owner that an admin has decided to override.
    private let overruled: Int64?

    /// - Parameters:
    ///   - input: the handle as typed; its capitals become the display handle.
    ///   - version: that of a reservation for another owner, if an admin has decided to override it.
    ///   - allowsLookalike: true if the handle may look like a protected one of another owner.
    package init(
        _ input: String, to owner: Owner, overruling version: Int64? = nil,
        allowingLookalike allowsLookalike: Bool = false, _ cause: Cause
    ) {
        claim = Claim(input, for: owner, allowingLookalike: allowsLookalike, cause)
        overruled = version
    }

    package var number: Int64 { claim.number }

    package func outcomeAtOnce(_ words: ReservedWords) -> ChangeOutcome? { claim.outcomeAtOnce(words) }

    package func add(to touches: inout Touches, _ record: Record?, _ scope: Scope) {
        claim.add(to: &touches, record, scope)
    }

    package func plan(in rows: inout LockedRows) -> Plan<ChangeOutcome> {
        guard let record = claim.reading.handle.flatMap(rows.record), !record.isFree else {
            return .refuse(.refused(.notReserved(nil)))
        }
        var claim = claim
        switch record.state {
        case .reserved where record.owner == nil || record.owner == claim.owner || record.version == overruled:
            claim.intent = .assign
        case .reserved: return .refuse(.refused(.notOwner(record)))
        case .claimed where record.owner == claim.owner: break
        case .free, .held, .claimed, .quarantined: return .refuse(.refused(.notReserved(record)))
        }
        return claim.plan(in: &rows)
    }
}
