package import HandleCore
import HandleText

/// The answer to "can I have it?": a verdict with the input as typed.
package struct Decision: Sendable {
    package let input: String
    package let verdict: Verdict

    package var reading: Reading { verdict.reading }
    package var reasons: [Reason] { verdict.reasons }
    package var status: Verdict.Status { verdict.status }
    package var isAvailable: Bool { verdict.isAvailable }
    package var handle: Handle? { reading.handle }
    package var display: DisplayHandle? { reading.display }

    /// The change that the asker wants to make.
    package enum Intent: Sendable { case claim, rename, hold, reserve }

    package init(_ input: String, _ verdict: Verdict) {
        self.input = input
        self.verdict = verdict
    }

    /// Decides about `input` by its form and the reserved words alone, as though no handle were in use.
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

/// The caller that a decision is for.
struct Asker: Sendable {
    let owner: Owner?
    /// The owner's mark, which recognises a former owner.
    let mark: OwnerMark?
    /// The secret of the asker's hold, if any.
    let hold: String?
    /// True if an admin gives the asker the reserved handle, for whichever owner it was reserved.
    let isGivenReservation: Bool

    /// An unknown asker.
    static let anyone = Asker(owner: nil, mark: nil)

    init(owner: Owner?, mark: OwnerMark?, hold: String? = nil, isGivenReservation: Bool = false) {
        self.owner = owner
        self.mark = mark
        self.hold = hold
        self.isGivenReservation = isGivenReservation
    }

    /// True if a handle that is not free may pass to the asker. The statements that take handles have the same rule.
    func mayTake(_ standing: Standing, to intent: Decision.Intent) -> Bool {
        switch intent {
        case .claim:
            // nil never matches nil here, as NULL never matches NULL in SQL.
            (owner != nil && standing.owner == owner)
                || (standing.state == .held && hold != nil && standing.hold == hold)
                || (standing.state == .quarantined && mark != nil && standing.former == mark)
                || (standing.state == .reserved && isGivenReservation)
        // A rename to a handle that the owner has claimed already would only give up the old one.
        case .rename: standing.state != .claimed && mayTake(standing, to: .claim)
        // Turning a claim, reservation or quarantine into a hold would lose the handle when the hold ends.
        case .hold: standing.state == .held && owner != nil && standing.owner == owner
        case .reserve: standing.state == .reserved
        }
    }
}
