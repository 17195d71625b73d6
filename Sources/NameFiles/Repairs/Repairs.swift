import HandleRegistry
import HandleRules

/// Claims repairs for the owners of refused rows.
struct Repairs {
    private let repairer: Repairer
    private let bulk: BulkClaim
    private let cause: Cause

    /// Claims of a row, until it is left without a repair: others may get each one a moment before.
    private static let attempts = 5

    init(_ repairer: Repairer, _ bulk: BulkClaim, _ cause: Cause) {
        (self.repairer, self.bulk, self.cause) = (repairer, bulk, cause)
    }

    /// A refused row, and its owner.
    private struct Open {
        let row: Int
        let owner: Owner
        let wanted: WantedRepair
    }

    /// Claims repairs for the refused rows of a part of the file. A row that got one in an earlier run keeps it.
    /// - Throws: `PostgresError`; `CancellationError`; ``BatchError``. The rows that have got a repair say so.
    func claim(for rows: inout [RowResult]) async throws {
        var open = forOwners(rows)
        let claimed = try await bulk.claimed(by: Set(open.map(\.owner)))
        open = try await keepOwn(open, claimed, &rows)
        for _ in 0..<Self.attempts where !open.isEmpty {
            let repairs = try await repairer.repairs(for: open.map(\.wanted))
            open = try await claim(zip(open, repairs).compactMap { row, repair in repair.map { (row, $0) } }, &rows)
        }
    }

    /// The rows that may get a repair. Without one stay owners with as many names as allowed.
    private func forOwners(_ rows: [RowResult]) -> [Open] {
        rows.indices.compactMap { index in
            let row = rows[index]
            guard let owner = row.ownerID, let verdict = row.verdict, !row.isBlank else { return nil }
            guard [.invalid, .unavailable, .duplicate].contains(verdict), !row.input.allSatisfy(\.isBlank),
                !row.reasons.contains(where: { $0.code.isAboutOwner })
            else { return nil }
            // By the owner: the repair of a row stays the same when rows before it come or go.
            let seed = SeededGenerator.seed(from: Array(owner.id.utf8))
            return Open(
                row: index, owner: owner, wanted: WantedRepair(name: row.input, seed: seed, record: row.record))
        }
    }

    /// Notes the repairs of an earlier run, and leaves out rows that repeat the claim of an earlier row.
    /// - Parameter claimed: the names of the owners.
    /// - Returns: the other rows.
    private func keepOwn(
        _ open: [Open], _ claimed: [Owner: Set<Handle>], _ rows: inout [RowResult]
    ) async throws -> [Open] {
        var (others, own): ([Open], [(Open, DisplayHandle)]) = ([], [])
        for row in open {
            let names = claimed[row.owner] ?? []
            if rows[row.row].verdict == .duplicate, let handle = rows[row.row].display?.handle {
                if names.contains(handle) { continue }
                if await bulk.wouldHaveClaimed(handle, for: row.owner) { continue }
            }
            let name = rows[row.row].display.map { Array($0.handle.description.utf8)[...] } ?? row.wanted.name
            guard await repairer.note(name, for: row.owner) else { continue }
            var found: DisplayHandle?
            if !names.isEmpty {
                found = await repairer.candidates(for: row.wanted).first { names.contains($0.handle) }
            }
            if let found, try await repairer.take(found) { own.append((row, found)) } else { others.append(row) }
        }
        return others + (try await claim(own, &rows))
    }

    /// - Returns: the rows for which another repair is needed.
    private func claim(_ repairs: [(row: Open, name: DisplayHandle)], _ rows: inout [RowResult]) async throws -> [Open]
    {
        let claims = repairs.map { Claim($0.name.description, for: $0.row.owner, cause) }
        let claimed = await Task { [bulk] in await bulk.claim(claims) }.value
        var lost: [Open] = []
        for (repair, outcome) in zip(repairs, claimed.outcomes) {
            guard let outcome else { continue }
            if case .refused(let refusal) = outcome {
                if refusal.reasons.contains(where: { $0.code.isAboutOwner }) {
                    rows[repair.row.row].refuse(.unavailable, refusal.reasons)
                } else {
                    lost.append(repair.row)
                }
            } else {
                rows[repair.row.row].take(outcome, of: repair.name)
            }
        }
        if let fault = claimed.fault { throw fault }
        return lost
    }
}
