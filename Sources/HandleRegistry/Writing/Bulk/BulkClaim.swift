package import HandleRules
import Postgres

/// Claims handles for many owners, batch by batch. Safe to repeat.
package struct BulkClaim: Sendable {
    private let registry: Registry
    /// Nil to make the changes.
    private let dryRun: DryRun?

    /// - Parameter isDryRun: true to find the outcomes that the claims would have, and change nothing.
    package init(_ registry: Registry, isDryRun: Bool = false) {
        self.registry = registry
        dryRun = isDryRun ? DryRun(registry) : nil
    }

    /// The outcomes of claims.
    package struct Claimed: Sendable {
        /// In the order of the claims; nil for a claim that was not made because of the fault.
        package fileprivate(set) var outcomes: [ChangeOutcome?]
        /// The error that ended the work; `PostgresError`. Repeating is safe.
        package fileprivate(set) var fault: (any Error)?
    }

    /// The handles that owners have claimed in the database. A dry run's claims are not among them.
    /// - Throws: `PostgresError`
    package func claimed(by owners: Set<Owner>) async throws -> [Owner: Set<Handle>] {
        var handles: [Owner: Set<Handle>] = [:]
        guard !owners.isEmpty else { return handles }
        for record in try await registry.pool.run(LookupOwners(owners: Array(owners))) where record.state == .claimed {
            if let owner = record.owner { handles[owner, default: []].insert(record.handle) }
        }
        return handles
    }

    /// Whether this dry run has claimed the handle for the owner.
    package func wouldHaveClaimed(_ handle: Handle, for owner: Owner) async -> Bool {
        await dryRun?.hasClaimed(handle, for: owner) ?? false
    }

    /// Claims in one transaction. It locks the accounts of their owners for some hundredths of a second.
    private static let claimedAtOnce = 512

    /// Claims handles, as if one after the other.
    /// - Parameter claims: of well-formed handles, none twice.
    package func claim(_ claims: [Claim]) async -> Claimed {
        var claimed = Claimed(outcomes: claims.map { _ in nil })
        do {
            if let dryRun {
                claimed.outcomes = try await dryRun.perform(claims)
            } else {
                for start in stride(from: 0, to: claims.count, by: Self.claimedAtOnce) {
                    let part = start..<min(start + Self.claimedAtOnce, claims.count)
                    try await claim(part, of: claims, &claimed.outcomes)
                }
            }
        } catch {
            claimed.fault = error
        }
        return claimed
    }

    private func claim(
        _ part: Range<Int>, of claims: [Claim], _ outcomes: inout [ChangeOutcome?]
    ) async throws {
        // A look-up is faster than repeating a claim.
        let owners = part.compactMap { index in claims[index].handle.map { ($0, claims[index].owner) } }
        let confirmed = try await registry.confirm(Dictionary(owners) { first, _ in first })
        for index in part { outcomes[index] = claims[index].handle.flatMap { confirmed[$0] }.map { .already($0) } }
        try await write(part.filter { outcomes[$0] == nil }[...], of: claims, &outcomes)
    }

    /// A claim that has to wait for a row lock is made alone, so that the others don't keep their locks meanwhile.
    private func write(
        _ indices: ArraySlice<Int>, of claims: [Claim], _ outcomes: inout [ChangeOutcome?]
    ) async throws {
        do {
            let written = try await registry.writes.write(
                indices.map { claims[$0] }, waitingShortly: indices.count > 1)
            for (index, outcome) in zip(indices, written) { outcomes[index] = outcome }
        } catch let error as PostgresError where error.isOfContention && indices.count > 1 {
            let middle = indices.startIndex + indices.count / 2
            try await write(indices[..<middle], of: claims, &outcomes)
            try await write(indices[middle...], of: claims, &outcomes)
        }
    }
}

extension Registry {
    /// Looks claims up in a transaction that also writes. Its synchronous commit makes the answer safe in a failover.
    /// - Returns: the records of the handles that their owners have claimed.
    func confirm(_ claims: [Handle: Owner]) async throws -> [Handle: Record] {
        do {
            return try await confirmAtOnce(claims)
        } catch let error as PostgresError where error.isLockTimeout {
            // One of the claims is being changed: each is decided under its locks.
            return [:]
        }
    }

    private func confirmAtOnce(_ claims: [Handle: Owner]) async throws -> [Handle: Record] {
        try await pool.transaction(beginningWith: [LockTimeout.short]) { transaction in
            let found = try await transaction.lookUp(claims.keys.sorted()).values
            var records = found.filter { $0.state == .claimed && claims[$0.handle] == $0.owner }
            while let record = records.first {
                let written = try await transaction.run(Confirm(handle: record.handle, version: record.version))
                guard !written.isEmpty else {
                    // It has changed since it was read.
                    records.removeFirst()
                    continue
                }
                try await transaction.commit()
                return records.byHandle
            }
            try await transaction.rollBack()
            return [:]
        }
    }
}
