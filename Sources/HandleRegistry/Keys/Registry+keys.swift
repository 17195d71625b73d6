import Postgres

extension Registry {
    /// Takes in which keys are in force, if that has changed.
    /// - Returns: whether it has.
    /// - Throws: `PostgresError`; the keys in force stay.
    @discardableResult
    package func refreshKeys() async throws -> Bool {
        // Before the look-up: from here on they may change again.
        let asked = ContinuousClock.now
        guard let fingerprint = try await background.run(KeysFingerprint()).first else { return false }
        if keys.confirm(fingerprint, at: asked) { return false }
        // Before the look-up, so that a key rather ends a little early.
        let now = ContinuousClock.now
        let rows = try await background.run(LookupKeysInForce())
        keys.apply(rows.map { $0.key(readAt: now) }, fingerprint: fingerprint, at: asked)
        return true
    }

    /// Writes down that keys were shown since the last time; to be called about once a minute.
    /// - Throws: `PostgresError`; then it is done the next time.
    package func noteKeyUses() async throws {
        let uses = keys.takeUses()
        guard !uses.isEmpty else { return }
        do {
            _ = try await background.run(NoteKeyUses(ids: uses.sorted()))
        } catch {
            keys.giveBack(uses)
            throw error
        }
    }

    /// All keys that were ever made, the oldest first.
    package func accessKeys() async throws -> [KeyRecord] { try await pool.run(LookupKeys(id: nil)) }

    /// Makes a key; every instance knows it within two seconds. The key itself is kept nowhere: it is only in the answer.
    package func createKey(_ grant: KeyGrant, actor: String) async throws -> (key: AccessKey, record: KeyRecord) {
        for _ in 0..<Self.maxKeyAttempts {
            let key = AccessKey.random()
            if let record = try await pool.run(PutKey(key: key, grant: grant, actor: actor)).first {
                return (key, record)
            }
        }
        throw PostgresError(.unreadable, "no unused id for the key was found")
    }

    /// Two keys have the same id once in 2⁴⁰ pairs, and then another is made.
    private static let maxKeyAttempts = 3

    /// Takes a key out of force for good; every instance knows within two seconds.
    package func revokeKey(_ id: String, actor: String) async throws -> KeyRevocation {
        if try await !pool.run(RevokeKey(id: id, actor: actor)).isEmpty { return .revoked }
        return try await pool.run(LookupKeys(id: id)).isEmpty ? .notFound : .already
    }
}
