public import HandleCore
import HandleText

/// The answer to "can I have it?".
///
/// `decide` is the only place where it is found; availability, suggestions, holds, claims, renames, reservations and the
/// command line all ask there. The writes ask inside their transaction, of what they have locked.
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
    public enum Intent: Sendable { case claim, rename, hold, reserve }

    /// Decides about `input` by its form and the reserved words alone, as though nobody had any name.
    public static func decide(_ input: String, words: ReservedWords) -> Decision {
        decide(input, Reading(typed: input), words: words, .nothing, .anyone, .claim, Policy())
    }

    /// Decides about `input`.
    /// - Parameters:
    ///   - knowledge: what the database knows.
    ///   - asker: who asks.
    static func decide(
        _ input: String, _ reading: Reading, words: ReservedWords, _ knowledge: Knowledge, _ asker: Asker,
        _ intent: Intent, _ policy: Policy
    ) -> Decision {
        let standing = knowledge.standing
        let isTheirs = standing.map { asker.mayTake($0, to: intent) } ?? false
        var reasons = reading.reasons
        // Who has a name already, or has it promised, keeps it when a new word or reservation would forbid it.
        if !isTheirs, intent != .reserve, let letters = reading.letters, let word = words.match(letters) {
            reasons.append(.reservedWord(word))
        }
        // A reservation is never refused for names in use that look like it; they are reported.
        let lookalikes = intent == .reserve ? .protected : policy.lookalikes
        if !isTheirs, let handle = reading.handle, let entry = knowledge.lookalike,
            let original = entry.original(of: handle, under: lookalikes)
        {
            reasons.append(.lookalike(of: original))
        }
        if let standing, !isTheirs { reasons.append(.taken(standing.state)) }
        if let account = knowledge.account, intent != .reserve, policy.perOwner > 0,
            account.claimed >= policy.perOwner, !(isTheirs && standing?.state == .claimed)
        {
            reasons.append(.ownerFull(limit: Int(policy.perOwner)))
        }
        return Decision(input: input, reading: reading, reasons: reasons)
    }
}

/// Who wants a name.
struct Asker: Sendable {
    let owner: Owner?
    /// The owner's mark, by which a former owner is known.
    let mark: OwnerMark?
    /// The secret of the hold that the asker has, if any.
    let hold: String?

    /// Somebody of whom nothing is known.
    static let anyone = Asker(owner: nil, mark: nil)

    init(owner: Owner?, mark: OwnerMark?, hold: String? = nil) {
        self.owner = owner
        self.mark = mark
        self.hold = hold
    }

    /// Whether a name that is not free may pass to the asker: the same rule as in the statements that take names.
    func mayTake(_ standing: Standing, to intent: Decision.Intent) -> Bool {
        switch intent {
        case .claim:
            (owner != nil && standing.owner == owner) || (standing.state == .held && standing.hold == hold)
                || (standing.state == .quarantined && standing.former == mark)
        // To give a name up for one that they have already is no rename.
        case .rename: standing.state != .claimed && mayTake(standing, to: .claim)
        // Turning a claim, reservation or quarantine into a hold would lose the name when the hold ends.
        case .hold: standing.state == .held && owner != nil && standing.owner == owner
        case .reserve: standing.state == .reserved
        }
    }
}
