import HandleRegistry
import HandleRules

extension Refusal {
    /// The refusal for an admin, as the predicate of a sentence about the name.
    var sentence: String {
        switch self {
        case .decision(let decision): decision.reasons.map(\.sentenceForAdmins).joined(separator: " ")
        case .notOwner(let record):
            record.state == .reserved
                ? "is reserved for \(record.owner?.id.printable ?? ""), and stays so"
                : "is another owner's: it is \(record.state.rawValue)"
        case .needsAdmin: "only an admin can release it"
        case .notClaimed: "it is free already"
        case .notReserved(nil): "is free already"
        case .notReserved(let record?): "is \(record.state.rawValue), and not by the reservation to undo"
        case .changed(let record):
            "is not as expected: it is \(record?.sentenceOfState ?? "free") and was left as it is"
        case .paused(let end): "was held by this owner until a moment ago: it can be held again from \(end.rfc3339)"
        case .locked(let lock): "its owner is locked\(lock.until.map { " until \($0.rfc3339)" } ?? "")"
        }
    }
}

extension Record {
    /// `claimed by user-1`: the state of a handle in use, with its owner.
    var sentenceOfState: String {
        let owner = owner?.id.printable ?? ""
        return switch state {
        case .free: "free"
        case .held: "held by \(owner)"
        case .claimed: "claimed by \(owner)"
        case .reserved: owner.isEmpty ? "reserved" : "reserved for \(owner)"
        case .quarantined: "in quarantine for its former owner"
        }
    }
}
