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
        let word = reading.word(in: try confirmedWords())
        guard let handle = reading.handle else { return (.decide(reading, word: word), false) }
        var asker = try await asker(owner)
        let known = try await known(about: reading, lookups.lookUp([handle]), for: &asker)
        if policy.perOwner > 0, let mark = asker.mark {
            asker.claimed = try await Int64(more) + (pool.run(LookupClaimed(mark: mark)).first ?? 0)
        }
        let decision = Decision.decide(reading, word: word, known, for: asker, to: .claim, policy)
        return (decision, known.isClaimed(by: owner))
    }

    /// The outcomes that reservations would have, one after the other. Changes nothing.
    /// - Parameter reserved: handles that would be reserved by then besides those in the registry, by look-alike key.
    package func outcomesToReserve(
        _ names: [NameToReserve], allowingLookalikes allowsLookalikes: Bool,
        afterReserving reserved: inout [LookalikeKey: Handle]
    ) async throws -> [Reserved] {
        var outcomes: [Reserved] = []
        for start in stride(from: 0, to: names.count, by: BulkReserve.lookedUpAtOnce) {
            let part = names[start..<min(start + BulkReserve.lookedUpAtOnce, names.count)]
            let (records, entries) = try await lookUp(part.map(\.handle))
            for name in part {
                let (record, entry) = (records[name.handle], entries[name.key])
                let earlier = reserved[name.key].map { LookalikeEntry(protecting: $0) }
                if let obstacle = name.obstacle(
                    record, earlier ?? entry, policy, allowingLookalike: allowsLookalikes)
                {
                    outcomes.append(Reserved(obstacle))
                } else {
                    if entry?.protecting == nil, reserved[name.key] == nil { reserved[name.key] = name.handle }
                    // The record as it would be.
                    let reserved = name.record(version: (record?.version ?? 0) + 1, change: 0, at: Date())
                    outcomes.append(
                        Reserved(.done(reserved), lookalikes: entry?.others(than: name.handle) ?? []))
                }
            }
        }
        return outcomes
    }
}
