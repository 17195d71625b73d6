import HandleCore
import Postgres

/// Claims of different owners for handles that don't look alike, in one transaction.
///
/// Only claims that succeed and change something are made. The outcome of the others is nil; each of them is then tried
/// alone, which gives its outcome.
struct ClaimGroup: Operation {
    private let claims: [Claim]

    init(_ claims: [Claim]) { self.claims = claims }

    private struct Candidate {
        let index: Int
        let claim: Claim
        let display: DisplayHandle
        let mark: OwnerMark
    }

    func attempt(in scope: Scope, _ transaction: inout Transaction) async throws -> Attempt<[ChangeOutcome?]> {
        let candidates = claims.enumerated().compactMap { index, claim -> Candidate? in
            guard let display = claim.reading.display, claim.hold == nil, !claim.allowsLookalike,
                claim.reading.word(in: scope.words) == nil
            else { return nil }
            return Candidate(index: index, claim: claim, display: display, mark: scope.mark(of: claim.owner))
        }
        if let outcomes = try await attempt(candidates, in: scope, &transaction) {
            // One commit makes all records, so one of them shows whether it was made.
            let taken = outcomes.lazy.compactMap { if case .done(let record) = $0 { record } else { nil } }
            return .commit(outcomes, made: taken.first)
        }
        return .refuse([ChangeOutcome?](repeating: nil, count: claims.count))
    }

    /// Tries the claims of all candidates, then once more without those that failed.
    /// - Returns: nil if nothing is left to commit.
    private func attempt(
        _ candidates: [Candidate], in scope: Scope, _ transaction: inout Transaction
    ) async throws -> [ChangeOutcome?]? {
        var candidates = candidates
        // One retry without the claims that failed. A third attempt is not worth its time.
        for _ in 0..<2 where candidates.count > 1 {
            let (taken, writes) = try await take(candidates, in: scope, &transaction)
            if taken.count == candidates.count {
                for write in writes { transaction.runLast(write) }
                var outcomes = [ChangeOutcome?](repeating: nil, count: claims.count)
                for candidate in candidates { outcomes[candidate.index] = taken[candidate.index].map { .done($0) } }
                return outcomes
            }
            try await transaction.rollBack()
            candidates.removeAll { taken[$0.index] == nil }
        }
        return nil
    }

    /// Takes the handles in the transaction.
    /// - Returns: the records that may be committed, by index, and the writes to make with them.
    private func take(
        _ candidates: [Candidate], in scope: Scope, _ transaction: inout Transaction
    ) async throws -> ([Int: Record], [any Statement]) {
        let byName = candidates.sorted { $0.display.handle < $1.display.handle }
        let byMark = candidates.sorted { $0.mark.bytes.lexicographicallyPrecedes($1.mark.bytes) }
        let byKey = candidates.sorted { LookalikeKey($0.display.handle) < LookalikeKey($1.display.handle) }
        let (accounts, entries, before, after, appended) = try await transaction.run(
            LockAccounts(owners: byMark.map { ($0.mark, $0.claim.owner) }),
            LockClaimedLookalikes(handles: byKey.map(\.display.handle)),
            LookupMany(handles: byName.map(\.display.handle)),
            TakeClaims(claims: byName.map { ($0.display, $0.claim.owner, $0.claim.change) }),
            AppendClaims(
                events: byName.map { ($0.display.handle, $0.claim.change, $0.mark, $0.claim.cause) }))
        let accountOf = Dictionary(accounts.map { ($0.mark, $0) }) { first, _ in first }
        let entryOf = Dictionary(entries.map { ($0.key, $0) }) { first, _ in first }
        let recordOf = before.byHandle
        let takenOf = after.byHandle
        let hasEvent = Set(appended)
        var taken: [Int: Record] = [:]
        var writes: [any Statement] = []
        for candidate in candidates {
            let handle = candidate.display.handle
            guard let record = takenOf[handle], hasEvent.contains(handle.description),
                record.version - 1 == recordOf[handle]?.version ?? 0, var account = accountOf[candidate.mark],
                var entry = entryOf[LookalikeKey(handle)], !account.quarantined.contains(handle)
            else { continue }
            // The account counts this claim already; the decision needs the number before it.
            account.claimed -= 1
            // No candidate is a reserved word.
            var asker = Asker(owner: candidate.claim.owner, mark: candidate.mark)
            asker.note(account)
            let decision = Decision.decide(
                candidate.claim.reading, word: nil, KnownName(record: recordOf[handle], lookalike: entry), for: asker,
                to: .claim, scope.policy)
            guard decision.isAvailable else { continue }
            if entry.version > 1 {
                entry.note(handle, until: nil)
                writes.append(PutLookalike(entry: entry))
            }
            taken[candidate.index] = record
        }
        return (taken, writes)
    }
}
