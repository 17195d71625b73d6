public import HandleCore

extension Registry {
    /// Whether the owner has a name already, by a look-up that many callers share: quicker than to claim it again. The
    /// next server to take over might not know of it; see ``confirm(_:)``.
    public func hasClaimed(_ handle: Handle, _ owner: Owner) async throws -> Bool {
        try await lookups.findings(about: [handle]).knowledge(of: handle).standing?.isClaimed(by: owner) ?? false
    }

    /// Writes claims as they are, so that to say that somebody has a name waits for what every commit waits for.
    /// - Returns: the names that their owners have.
    public func confirm(_ claims: [Handle: Owner]) async throws -> Set<Handle> {
        let rows = try await pool.run(ConfirmClaims(handles: claims.keys.sorted()))
        return Set(rows.filter { claims[$0.handle] == $0.owner }.map(\.handle))
    }
}
