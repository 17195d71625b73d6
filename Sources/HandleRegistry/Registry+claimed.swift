package import HandleCore
import Postgres

extension Registry {
    /// Whether the owner has a name already, by a look-up that many callers share: quicker than to claim it again. The
    /// next server to take over might not know of it; see ``confirm(_:)``.
    package func hasClaimed(_ handle: Handle, _ owner: Owner) async throws -> Bool {
        try await lookups.findings(about: [handle]).knowledge(of: handle).standing?.isClaimed(by: owner) ?? false
    }

    /// Looks at claims in a transaction that also writes, so that what is said of them waits for what every commit waits
    /// for.
    /// - Returns: the names that their owners have.
    package func confirm(_ claims: [Handle: Owner]) async throws -> Set<Handle> {
        do {
            return try await confirmAtOnce(claims)
        } catch let error as PostgresError where error.isLockTimeout {
            // Somebody changes one of them at this moment: each is to be looked at by itself.
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
                    // It has changed in between.
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
