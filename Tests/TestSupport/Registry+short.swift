package import HandleCore
package import HandleRegistry
import HandleText

/// Short forms of the operations, with the defaults that most tests use.
extension Registry {
    package static let testCause = Cause(actor: "test")

    package func claim(_ input: String, for owner: Owner, hold: String? = nil) async throws -> TakeOutcome {
        try await perform(Claim(input, for: owner, hold: hold, Self.testCause))
    }

    package func hold(_ input: String, for owner: Owner, duration: Duration? = nil) async throws -> HoldOutcome {
        try await perform(Hold(input, for: owner, lasting: duration, Self.testCause))
    }

    package func reserve(
        _ input: String, _ reservation: Reservation, allowingLookalike: Bool = false, actor: String = "test"
    ) async throws -> ReserveOutcome {
        let reading = Reading(typed: input)
        guard let display = reading.display else { return .refused(Verdict.decide(reading, word: nil)) }
        let reserve = BulkReserve(self, allowingLookalikes: allowingLookalike, actor: actor)
        return try await reserve.reserve([NameToReserve(display, reservation)])[0]
    }

    @discardableResult
    package func release(_ handle: Handle) async throws -> ReleaseOutcome {
        try await perform(Release(handle, Self.testCause))
    }

    package func rename(_ old: Handle, to input: String, for owner: Owner) async throws -> RenameOutcome {
        try await perform(Rename(old, to: input, for: owner, Self.testCause))
    }

    package func recase(_ display: DisplayHandle) async throws -> Record? {
        switch try await perform(Recase(display, Self.testCause)) {
        case .recased(let record), .already(let record): record
        case .notClaimed, .notTheirs, .changed: nil
        }
    }
}

extension ForgetOutcome {
    /// The names that were given up; nil if the owner is not forgotten.
    package var names: [Record]? { if case .forgotten(let names) = self { names } else { nil } }
}

/// An outcome as a word, for comparisons.
package func word(_ outcome: TakeOutcome) -> String {
    switch outcome {
    case .taken: "taken"
    case .already: "already"
    case .refused(let decision): word(decision)
    }
}

package func word(_ outcome: HoldOutcome) -> String {
    switch outcome {
    case .held: "held"
    case .already: "already"
    case .refused(let decision): word(decision)
    case .paused: "paused"
    }
}

package func word(_ outcome: ReserveOutcome) -> String {
    switch outcome {
    case .reserved: "reserved"
    case .already: "already"
    case .refused(let verdict): "refused: " + verdict.reasons.map(\.code.rawValue).joined(separator: ",")
    }
}

package func word(_ outcome: RenameOutcome) -> String {
    switch outcome {
    case .renamed: "renamed"
    case .already: "already"
    case .notTheirs: "not theirs"
    case .changed: "changed"
    case .refused(let decision): word(decision)
    }
}

package func word(_ outcome: RecaseOutcome) -> String {
    switch outcome {
    case .recased: "recased"
    case .already: "already"
    case .notClaimed: "not claimed"
    case .notTheirs: "not theirs"
    case .changed: "changed"
    }
}

package func word(_ outcome: ReleaseOutcome) -> String {
    switch outcome {
    case .released: "released"
    case .already: "already"
    case .notFound: "not found"
    case .changed: "changed"
    case .notTheirs: "not theirs"
    }
}

package func word(_ outcome: AssignOutcome) -> String {
    switch outcome {
    case .assigned: "assigned"
    case .already: "already"
    case .promised(let record): "promised to \(record.owner?.id ?? "no owner")"
    case .notReserved(let record): "not reserved but \(record?.state.rawValue ?? "free")"
    case .refused(let decision): word(decision)
    }
}

private func word(_ decision: Decision) -> String {
    "refused: " + decision.reasons.map(\.code.rawValue).joined(separator: ",")
}
