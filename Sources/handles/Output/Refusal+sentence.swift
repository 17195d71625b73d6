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
        case .needsAdmin: "is reserved: only an admin can release it"
        case .notClaimed: "it is free already"
        case .notReserved(nil): "is free: use handles claim"
        case .notReserved(let record?): "is \(record.state.rawValue): only a reserved name can be assigned"
        case .changed(let record):
            "has changed meanwhile: it is \((record?.state ?? .free).rawValue) and was left as it is"
        case .paused(let end): "was held by this owner until a moment ago: it can be held again from \(end.rfc3339)"
        }
    }
}
