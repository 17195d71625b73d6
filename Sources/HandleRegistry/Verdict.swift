package import HandleCore

/// All reasons against a handle: a decision without the input as typed.
///
/// `decide` is the only place that finds them. Availability, suggestions, holds, claims, renames, reservations, batch
/// validation and the command line all use it. Writes call it inside their transaction, with the rows that they have
/// locked.
package struct Verdict: Sendable {
    package let reading: Reading
    /// The reserved word that the handle is or imitates.
    package let word: ReservedWord?
    /// The protected handle that it looks like.
    package let original: Handle?
    /// The state of the handle, if it is in use.
    package let taken: State?
    /// The limit of handles for one owner, if the asker has reached it.
    package let limit: Int?

    package enum Status: String, Sendable { case available, unavailable, invalid }

    package var status: Status {
        if !reading.isWellFormed { return .invalid }
        return isAvailable ? .available : .unavailable
    }

    package var isAvailable: Bool {
        reading.isWellFormed && word == nil && original == nil && taken == nil && limit == nil
    }

    /// All reasons against the handle, in the order of `Reason`; empty if it can be had.
    package var reasons: [Reason] {
        var reasons: [Reason] = []
        forEachReason { reasons.append($0) }
        return reasons
    }

    /// Calls `body` with all reasons against the handle, in the order of `Reason`.
    package func forEachReason(_ body: (Reason) -> Void) {
        reading.forEachReason(body)
        if let word { body(.reservedWord(word)) }
        if let original { body(.lookalike(of: original)) }
        if let taken { body(.taken(taken)) }
        if let limit { body(.ownerFull(limit: limit)) }
    }

    /// Judges a handle for an unknown asker.
    /// - Parameters:
    ///   - word: the result of `ReservedWords.match` for the reading's letters.
    ///   - finding: the state in the registry; nil for none, or to judge by form and word alone.
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

    /// Judges a handle.
    /// - Parameters:
    ///   - word: the result of `ReservedWords.match` for the reading's letters.
    ///   - knowledge: the state in the database.
    static func decide(
        _ reading: Reading, word: ReservedWord?, _ knowledge: Knowledge, _ asker: Asker, _ intent: Decision.Intent,
        _ policy: Policy
    ) -> Verdict {
        let standing = knowledge.standing
        // An owner keeps a handle that it has or is promised, even if a new reserved word or reservation would forbid
        // it.
        let isTheirs = standing.map { asker.mayTake($0, to: intent) } ?? false
        // Handles in use that look like it don't prevent a reservation; they are reported.
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
