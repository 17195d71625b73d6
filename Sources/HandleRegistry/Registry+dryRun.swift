package import HandleCore
import HandleText
import Postgres

import struct FoundationEssentials.Date

extension Registry {
    /// The result that a claim would have. Changes nothing.
    /// - Parameter more: handles that the owner would have claimed by then, besides those in the registry.
    /// - Returns: the decision, and true if the owner has claimed the handle already.
    package func decisionToClaim(
        _ input: String, for owner: Owner, afterClaiming more: Int = 0
    ) async throws -> (decision: Decision, isTheirs: Bool) {
        let reading = Reading(typed: input)
        guard let handle = reading.handle else { return (.decide(input, words: words), false) }
        let asker = try await asker(owner)
        var knowledge = try await knowledge(of: reading, lookups.findings(about: [handle]), asker)
        if policy.perOwner > 0, let mark = asker.mark {
            let claimed = try await pool.run(LookupClaimed(mark: mark)).first ?? 0
            knowledge.account = Account(
                mark: mark, claimed: claimed + Int64(more), quarantined: [], holds: [], now: Date())
        }
        let decision = Decision.decide(input, reading, words: try confirmedWords(), knowledge, asker, .claim, policy)
        return (decision, knowledge.standing?.isClaimed(by: owner) ?? false)
    }

    /// The outcomes that reservations would have, one after the other. Changes nothing.
    /// - Parameter reserved: handles that would be reserved by then besides those in the registry, by look-alike key.
    package func outcomesToReserve(
        _ names: [NameToReserve], allowingLookalikes allowsLookalikes: Bool,
        afterReserving reserved: inout [LookalikeKey: Handle]
    ) async throws -> [ReserveOutcome] {
        var outcomes: [ReserveOutcome] = []
        for start in stride(from: 0, to: names.count, by: BulkReserve.lookedUpAtOnce) {
            let part = names[start..<min(start + BulkReserve.lookedUpAtOnce, names.count)]
            let (records, entries) = try await lookUp(part.map(\.handle))
            for name in part {
                let (record, entry) = (records[name.handle], entries[name.key])
                let earlier = reserved[name.key].map { LookalikeEntry(protecting: $0) }
                if let obstacle = name.obstacle(
                    record, earlier ?? entry, policy, allowingLookalike: allowsLookalikes)
                {
                    outcomes.append(obstacle)
                } else {
                    if entry?.protecting == nil, reserved[name.key] == nil { reserved[name.key] = name.handle }
                    outcomes.append(.reserved(lookalikes: entry?.others(than: name.handle) ?? []))
                }
            }
        }
        return outcomes
    }
}

extension Standing {
    func isClaimed(by owner: Owner) -> Bool { state == .claimed && self.owner == owner }
}
