package import Postgres

/// The access keys of a database, and those in force in memory.
package struct KeyStore: Sendable {
    /// The keys in force. ``refresh()`` updates them.
    package let ring: KeyRing
    private let pool: Pool
    /// The connection for background work, which must not wait for callers.
    private let background: Pool

    /// - Parameters:
    ///   - background: a connection to the same database for background work; nil to use `pool`, as commands do.
    ///   - longestUnconfirmed: how long keys stay in force without confirmation; nil for no limit.
    package init(pool: Pool, background: Pool? = nil, longestUnconfirmed: Duration? = nil) {
        self.pool = pool
        self.background = background ?? pool
        ring = KeyRing(longestUnconfirmed: longestUnconfirmed)
    }

    /// Reads the keys in force, if they have changed.
    /// - Returns: true if they have.
    /// - Throws: `PostgresError`; the keys in force stay.
    @discardableResult
    package func refresh() async throws -> Bool {
        // Taken before the query: the keys may change again from then on.
        let asked = ContinuousClock.now
        guard let fingerprint = try await background.run(KeysFingerprint()).first else { return false }
        if ring.confirm(fingerprint, at: asked) { return false }
        // Taken before the query, so that a key ends a little early rather than late.
        let now = ContinuousClock.now
        let keys = try await background.run(LookupKeysInForce())
        ring.apply(keys, readAt: now, fingerprint: fingerprint, confirmedAt: asked)
        return true
    }

    /// Writes the time of last use of the keys used since the last call; to be called about once a minute.
    /// - Throws: `PostgresError`; the uses are then written by the next call.
    package func noteUses() async throws {
        let uses = ring.takeUses()
        guard !uses.isEmpty else { return }
        do {
            _ = try await background.run(NoteKeyUses(ids: uses.sorted()))
        } catch {
            ring.giveBack(uses)
            throw error
        }
    }

    /// The records of all keys, oldest first, ended and revoked ones too.
    package func records() async throws -> [KeyRecord] { try await pool.run(LookupKeys(id: nil)) }

    /// Makes a key; every instance accepts it within two seconds. The key itself is not stored: only this result has
    /// it.
    package func create(_ grant: KeyGrant, actor: String) async throws -> (key: AccessKey, record: KeyRecord) {
        for _ in 0..<Self.maxAttempts {
            let key = AccessKey.random()
            if let record = try await pool.run(PutKey(key: key, grant: grant, actor: actor)).first {
                return (key, record)
            }
        }
        throw PostgresError(.unreadable, "no unused id for the key was found")
    }

    /// Two keys share an id with a probability of 2⁻⁴⁰; then another key is made.
    private static let maxAttempts = 3

    /// Revokes a key for good; every instance refuses it within two seconds.
    package func revoke(_ id: String, actor: String) async throws -> KeyRevocation {
        if try await !pool.run(RevokeKey(id: id, actor: actor)).isEmpty { return .revoked }
        return try await pool.run(LookupKeys(id: id)).isEmpty ? .notFound : .already
    }
}
