package import HandleCore
import Postgres

extension Registry {
    /// True if the owner has claimed the handle. A batched look-up is faster than repeating the claim, but after a
    /// failover its answer may be wrong; see ``confirm(_:)``.
    package func hasClaimed(_ handle: Handle, _ owner: Owner) async throws -> Bool {
        try await lookups.lookUp([handle]).known(about: handle).isClaimed(by: owner)
    }

    /// Looks claims up in a transaction that also writes. Its synchronous commit makes the answer safe in a failover.
    /// - Returns: the handles that their owners have claimed.
    package func confirm(_ claims: [Handle: Owner]) async throws -> Set<Handle> {
        do {
            return try await confirmAtOnce(claims)
        } catch let error as PostgresError where error.isLockTimeout {
            // One of the claims is being changed: the caller has to check each alone.
            return []
        }
    }

    private func confirmAtOnce(_ claims: [Handle: Owner]) async throws -> Set<Handle> {
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
                return Set(records.map(\.handle))
            }
            try await transaction.rollBack()
            return []
        }
    }
}
