public import HandleCore
import HandleText

import struct FoundationEssentials.Date

extension Registry {
    /// What a claim would come to, without changing anything.
    /// - Parameter more: names that the owner would have got by then besides those in the registry.
    /// - Returns: the decision, and whether the owner has the name already.
    public func decisionToClaim(
        _ input: String, for owner: Owner, afterClaiming more: Int = 0
    ) async throws -> (decision: Decision, isTheirs: Bool) {
        let reading = Reading(typed: input)
        guard let handle = reading.handle else { return (.decide(input, words: words), false) }
        let asker = try await asker(owner)
        var knowledge = try await lookups.findings(about: [handle]).knowledge(of: handle)
        if policy.perOwner > 0, let mark = asker.mark {
            let claimed = try await pool.run(LookupClaimed(mark: mark)).first ?? 0
            knowledge.account = Account(
                mark: mark, claimed: claimed + Int64(more), quarantined: [], holds: [], now: Date())
        }
        let decision = Decision.decide(input, reading, words: words, knowledge, asker, .claim, policy)
        return (decision, knowledge.standing?.isClaimed(by: owner) ?? false)
    }

    /// Whether the owner has a name already, by a look-up that many callers share: quicker than to claim it again.
    public func hasClaimed(_ handle: Handle, _ owner: Owner) async throws -> Bool {
        try await lookups.findings(about: [handle]).knowledge(of: handle).standing?.isClaimed(by: owner) ?? false
    }
}

extension Standing {
    fileprivate func isClaimed(by owner: Owner) -> Bool { state == .claimed && self.owner == owner }
}
