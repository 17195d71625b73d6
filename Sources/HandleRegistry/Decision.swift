public import HandleCore
import HandleText

/// The answer to "can I have it?".
///
/// ``decide(_:words:record:asker:intent:)`` is the only place where it is found; availability, suggestions, holds,
/// claims, reservations and the command line all ask there.
public struct Decision: Sendable {
    /// What was asked for, as typed.
    public let input: String
    public let reading: Reading
    /// Everything that stands against it, in the order of ``Reason``; empty when the name can be had.
    public let reasons: [Reason]

    public enum Status: String, Sendable { case available, unavailable, invalid }

    public var status: Status {
        if reasons.isEmpty { return .available }
        return reasons.contains { $0.code.isAboutForm } ? .invalid : .unavailable
    }

    public var isAvailable: Bool { reasons.isEmpty }
    public var handle: Handle? { reading.handle }
    public var display: DisplayHandle? { reading.display }

    /// What the asker wants to do with the name.
    public enum Intent: Sendable { case claim, hold, reserve }

    /// Decides about `input`.
    /// - Parameters:
    ///   - record: what the database knows of the name, read under its own clock; nil when it knows nothing.
    ///   - asker: who asks.
    public static func decide(
        _ input: String, words: ReservedWords, record: Record?, asker: Asker, intent: Intent = .claim
    ) -> Decision {
        decide(input, Reading(typed: input), words: words, record: record, asker: asker, intent: intent)
    }

    static func decide(
        _ input: String, _ reading: Reading, words: ReservedWords, record: Record?, asker: Asker, intent: Intent
    ) -> Decision {
        let record = record?.isFree == true ? nil : record
        let isTheirs = record.map { asker.mayTake($0, to: intent) } ?? false
        var reasons = reading.reasons
        // Who has a name already, or has it promised, keeps it when a new word would forbid it.
        if intent != .reserve, !isTheirs, let letters = reading.letters, let word = words.match(letters) {
            reasons.append(.reservedWord(word))
        }
        if let record, !isTheirs { reasons.append(.taken(record.state)) }
        return Decision(input: input, reading: reading, reasons: reasons)
    }
}

/// Who wants a name.
public struct Asker: Sendable {
    public let owner: Owner?
    /// The secret of the hold that the asker has, if any.
    public let hold: String?

    /// Somebody of whom nothing is known.
    public static let anyone = Asker(owner: nil)

    public init(owner: Owner?, hold: String? = nil) {
        self.owner = owner
        self.hold = hold
    }

    /// Whether a name that is not free may pass to the asker: the same rule as in the statements that take names.
    func mayTake(_ record: Record, to intent: Decision.Intent) -> Bool {
        switch intent {
        case .claim: (owner != nil && record.owner == owner) || (record.state == .held && record.hold == hold)
        // Turning a claim, reservation or quarantine into a hold would lose the name when the hold ends.
        case .hold: record.state == .held && owner != nil && record.owner == owner
        case .reserve: record.state == .reserved
        }
    }
}
