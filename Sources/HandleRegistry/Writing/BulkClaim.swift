package import HandleCore
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

    /// Claims handles together, as if one after the other.
    /// - Parameter claims: of well-formed handles, none twice.
    /// - Throws: `PostgresError`; repeating is safe.
    package func claim(_ claims: [Claim]) async throws -> [ChangeOutcome] {
        if let dryRun { return try await dryRun.perform(claims) }
        // A look-up is faster than repeating a claim.
        let owners = claims.compactMap { claim in claim.handle.map { ($0, claim.owner) } }
        let confirmed = try await registry.confirm(Dictionary(owners) { first, _ in first })
        func record(_ claim: Claim) -> Record? { claim.handle.flatMap { confirmed[$0] } }
        var written = try await write(claims.filter { record($0) == nil }[...])[...]
        return claims.compactMap { claim in record(claim).map { .already($0) } ?? written.popFirst() }
    }

    /// A claim that has to wait for a row lock is made alone, so that the others don't keep their locks meanwhile.
    private func write(_ claims: ArraySlice<Claim>) async throws -> [ChangeOutcome] {
        do {
            return try await registry.write(Array(claims), waitingShortly: claims.count > 1)
        } catch let error as PostgresError where error.isOfContention && claims.count > 1 {
            let middle = claims.startIndex + claims.count / 2
            return try await write(claims[..<middle]) + write(claims[middle...])
        }
    }
}

extension Registry {
    /// Looks claims up in a transaction that also writes. Its synchronous commit makes the answer safe in a failover.
    /// - Returns: the records of the handles that their owners have claimed.
    package func confirm(_ claims: [Handle: Owner]) async throws -> [Handle: Record] {
        do {
            return try await confirmAtOnce(claims)
        } catch let error as PostgresError where error.isLockTimeout {
            // One of the claims is being changed: each is decided under its locks.
            return [:]
        }
    }

    private func confirmAtOnce(_ claims: [Handle: Owner]) async throws -> [Handle: Record] {
        try await pool.transaction(beginningWith: [ShortLockWait()]) { transaction in
            let found: [Record] = try await transaction.run(LookupMany(handles: claims.keys.sorted()))
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
