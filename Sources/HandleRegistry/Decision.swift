package import HandleCore
import HandleText

/// The answer to "can I have it?": a verdict about what was typed.
package struct Decision: Sendable {
    /// What was asked for, as typed.
    package let input: String
    package let verdict: Verdict

    package var reading: Reading { verdict.reading }
    package var reasons: [Reason] { verdict.reasons }
    package var status: Verdict.Status { verdict.status }
    package var isAvailable: Bool { verdict.isAvailable }
    package var handle: Handle? { reading.handle }
    package var display: DisplayHandle? { reading.display }

    /// What the asker wants to do with the name.
    package enum Intent: Sendable { case claim, rename, hold, reserve }

    package init(_ input: String, _ verdict: Verdict) {
        self.input = input
        self.verdict = verdict
    }

    /// Decides about `input` by its form and the reserved words alone, as though nobody had any name.
    package static func decide(_ input: String, words: ReservedWords) -> Decision {
        decide(input, Reading(typed: input), words: words, .nothing, .anyone, .claim, Policy())
    }

    /// Decides about `input`; see ``Verdict``.
    static func decide(
        _ input: String, _ reading: Reading, words: ReservedWords, _ knowledge: Knowledge, _ asker: Asker,
        _ intent: Intent, _ policy: Policy
    ) -> Decision {
        let word = intent == .reserve ? nil : reading.letters.flatMap(words.match)
        return Decision(input, Verdict.decide(reading, word: word, knowledge, asker, intent, policy))
    }
}

/// Who wants a name.
struct Asker: Sendable {
    let owner: Owner?
    /// The owner's mark, by which a former owner is known.
    let mark: OwnerMark?
    /// The secret of the hold that the asker has, if any.
    let hold: String?
    /// Whether an admin gives them the name that is reserved, for whomever it was.
    let isGivenReservation: Bool

    /// Somebody of whom nothing is known.
    static let anyone = Asker(owner: nil, mark: nil)

    init(owner: Owner?, mark: OwnerMark?, hold: String? = nil, isGivenReservation: Bool = false) {
        self.owner = owner
        self.mark = mark
        self.hold = hold
        self.isGivenReservation = isGivenReservation
    }

    /// Whether a name that is not free may pass to the asker: the same rule as in the statements that take names.
    func mayTake(_ standing: Standing, to intent: Decision.Intent) -> Bool {
        switch intent {
        case .claim:
            // Two things that are not known are not the same, here as in SQL.
            (owner != nil && standing.owner == owner)
                || (standing.state == .held && hold != nil && standing.hold == hold)
                || (standing.state == .quarantined && mark != nil && standing.former == mark)
                || (standing.state == .reserved && isGivenReservation)
        // To give a name up for one that they have already is no rename.
        case .rename: standing.state != .claimed && mayTake(standing, to: .claim)
        // Turning a claim, reservation or quarantine into a hold would lose the name when the hold ends.
        case .hold: standing.state == .held && owner != nil && standing.owner == owner
        case .reserve: standing.state == .reserved
        }
    }
}
