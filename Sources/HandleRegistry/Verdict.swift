package import HandleCore

/// All that stands against a name: a decision without the text that was typed.
///
/// `decide` is the only place where it is found; availability, suggestions, holds, claims, renames, reservations, batch
/// validation and the command line all ask there. The writes ask inside their transaction, of what they have locked.
package struct Verdict: Sendable {
    package let reading: Reading
    /// The reserved word that the name is, or is a disguise of.
    package let word: ReservedWord?
    /// The protected name that it looks like.
    package let original: Handle?
    /// What it is, when somebody has it.
    package let taken: State?
    /// How many handles an owner may have, when the asker has as many.
    package let limit: Int?

    package enum Status: String, Sendable { case available, unavailable, invalid }

    package var status: Status {
        if !reading.isWellFormed { return .invalid }
        return isAvailable ? .available : .unavailable
    }

    package var isAvailable: Bool {
        reading.isWellFormed && word == nil && original == nil && taken == nil && limit == nil
    }

    /// Everything that stands against the name, in the order of `Reason`; empty when it can be had.
    package var reasons: [Reason] {
        var reasons: [Reason] = []
        forEachReason { reasons.append($0) }
        return reasons
    }

    /// Calls `body` with everything that stands against the name, in the order of `Reason`.
    package func forEachReason(_ body: (Reason) -> Void) {
        reading.forEachReason(body)
        if let word { body(.reservedWord(word)) }
        if let original { body(.lookalike(of: original)) }
        if let taken { body(.taken(taken)) }
        if let limit { body(.ownerFull(limit: limit)) }
    }

    /// Judges a name for somebody of whom nothing is known.
    /// - Parameters:
    ///   - word: what `ReservedWords.match` says of the reading's letters.
    ///   - finding: what the registry knows; nil for nothing, or to judge by form and word alone.
    package static func decide(
        _ reading: Reading, word: ReservedWord?, _ finding: BulkFinding? = nil, _ policy: Policy = Policy()
    ) -> Verdict {
        var knowledge = Knowledge.nothing
        if let finding, let handle = reading.handle {
            knowledge.standing = finding.state.map {
                Standing(handle: handle, state: $0, owner: nil, former: nil, hold: nil)
            }
            knowledge.lookalike = finding.lookalike
        }
        return decide(reading, word: word, knowledge, .anyone, .claim, policy)
    }

    /// Judges a name.
    /// - Parameters:
    ///   - word: what `ReservedWords.match` says of the reading's letters.
    ///   - knowledge: what the database knows.
    ///   - asker: who asks.
    static func decide(
        _ reading: Reading, word: ReservedWord?, _ knowledge: Knowledge, _ asker: Asker, _ intent: Decision.Intent,
        _ policy: Policy
    ) -> Verdict {
        let standing = knowledge.standing
        // Who has a name already, or has it promised, keeps it when a new word or reservation would forbid it.
        let isTheirs = standing.map { asker.mayTake($0, to: intent) } ?? false
        // A reservation is never refused for names in use that look like it; they are reported.
        let lookalikes = intent == .reserve ? nil : policy.lookalikes
        let original = reading.handle.flatMap {
            knowledge.lookalike?.original(of: $0, under: lookalikes, own: knowledge.own)
        }
        let isFull =
            knowledge.account.map { account in
                intent != .reserve && policy.perOwner > 0 && account.claimed >= policy.perOwner
                    && !(isTheirs && standing?.state == .claimed)
            } ?? false
        return Verdict(
            reading: reading,
            word: isTheirs || intent == .reserve ? nil : word,
            original: isTheirs ? nil : original,
            taken: isTheirs ? nil : standing?.state,
            limit: isFull ? Int(policy.perOwner) : nil)
    }
}
