package import HandleRules
import Postgres

/// Claims handles for many owners, batch by batch. Safe to repeat.
package struct BulkClaim: Sendable {
    private let registry: Registry
    private let note: UndoNote?
    /// Nil to make the changes.
    private let dryRun: DryRun?

    /// - Parameters:
    ///   - isDryRun: true to find the outcomes that the claims would have, and change nothing.
    ///   - note: called with handles about to be claimed; nil if the claims can't be undone later.
    package init(_ registry: Registry, isDryRun: Bool = false, noting note: UndoNote? = nil) {
        self.registry = registry
        self.note = note
        dryRun = isDryRun ? DryRun(registry) : nil
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
    package func claim(_ claims: [Claim]) async -> BulkOutcomes {
        var claimed = BulkOutcomes(count: claims.count)
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
        let pairs = part.compactMap { index in claims[index].handle.map { ($0, claims[index].owner) } }
        let owners = Dictionary(pairs) { first, _ in first }
        let records = try await registry.lookUp(owners.keys.sorted())
        let own = owners.filter { records[$0]?.state == .claimed && records[$0]?.owner == $1 }
        let confirmed = own.isEmpty ? [:] : try await registry.confirm(own)
        for index in part { outcomes[index] = claims[index].handle.flatMap { confirmed[$0] }.map { .already($0) } }
        let open = part.filter { outcomes[$0] == nil }
        try await note(open.map { claims[$0] }, records)
        try await registry.writes.writeApart(open[...], of: claims, &outcomes)
    }

    /// Notes the claims, without reserved words and handles of others. An undo would report those as changed since.
    private func note(_ claims: [Claim], _ records: [Handle: Record]) async throws {
        guard let note else { return }
        let scope = try await registry.writes.scope()
        let claimable = claims.compactMap { claim -> (Handle, Int64)? in
            guard let handle = claim.handle, claim.refusal(records[handle], scope) == nil else { return nil }
            let caller = Decision.Caller(owner: claim.owner, mark: scope.mark(of: claim.owner))
            let name = records[handle].flatMap { NameInUse($0) }
            return name.map(caller.has) ?? true ? (handle, claim.number) : nil
        }
        if !claimable.isEmpty { try note(claimable) }
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
