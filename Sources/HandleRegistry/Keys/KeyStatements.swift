import Postgres

/// A fingerprint of the keys in force, to detect changes.
struct KeysFingerprint: Statement {
    struct Row: Sendable, Equatable {
        /// Increases when a key is made or revoked.
        let versions: Int64
        /// Increases when a key ends by itself.
        let ended: Int64
    }

    static let sql = """
        SELECT coalesce(sum(version), 0)::bigint, count(*) FILTER (WHERE until <= now())
        FROM access_keys
        """

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        Row(versions: try row.integer(), ended: try row.integer())
    }
}

/// The keys in force, with the time left.
struct LookupKeysInForce: Statement {
    static let sql = """
        SELECT hash, id, name, scopes, quota, quota_window, (extract(epoch FROM until - now()) * 1000000)::bigint
        FROM access_keys WHERE revoked_at IS NULL AND (until IS NULL OR until > now())
        """

    static func decode(_ row: inout RowReader) throws(PostgresError) -> KeyInForce {
        let (hash, id, name) = (try row.bytes(), try row.text(), try row.text())
        // Scopes of a newer program are ignored.
        let scopes = Set(try row.texts().compactMap(KeyScope.init))
        return KeyInForce(
            hash: hash, holder: KeyHolder(id: id, name: name, scopes: scopes, rate: try row.rate()),
            rest: try row.optionalInteger().map { .microseconds($0) })
    }
}

/// The records of every key, or of one.
struct LookupKeys: Statement {
    let id: String?

    static let sql = """
        SELECT \(columns) FROM access_keys AS k WHERE $1::text IS NULL OR id = $1 ORDER BY created_at, id
        """

    static let columns =
        "id, name, scopes, quota, quota_window, actor, created_at, until, revoked_at, last_used_at, until <= now()"

    func bind(to parameters: inout Parameters) { parameters.add(id) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> KeyRecord {
        KeyRecord(
            id: try row.text(), name: try row.text(), scopes: Set(try row.texts().compactMap(KeyScope.init)).inOrder,
            rate: try row.rate(), actor: try row.text(), createdAt: try row.date(), until: try row.optionalDate(),
            revokedAt: try row.optionalDate(), lastUsedAt: try row.optionalDate(),
            hasEnded: try row.optionalBoolean() ?? false)
    }
}

/// Inserts a key. No row is returned if another key has the same id.
struct PutKey: Statement {
    let key: AccessKey
    let grant: KeyGrant
    let actor: String

    // A repeat of the statement finds its own row.
    static let sql = """
        INSERT INTO access_keys AS k
            (id, name, hash, scopes, actor, created_at, until, revoked_at, last_used_at, version, quota, quota_window)
        VALUES ($1, $2, $3, $4::text[], $5, now(), $6::timestamptz, NULL, NULL, 1, $7::bigint, $8::bigint)
        ON CONFLICT (id) DO UPDATE SET version = k.version + 1 WHERE k.hash = EXCLUDED.hash
        RETURNING k.id, k.name, k.scopes, k.quota, k.quota_window, k.actor, k.created_at, k.until, k.revoked_at,
            k.last_used_at, NULL::boolean
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(key.id)
        parameters.add(grant.name)
        parameters.add(bytes: key.hash)
        parameters.add(grant.scopes.inOrder.map(\.rawValue))
        parameters.add(actor)
        parameters.add(grant.until)
        parameters.add(grant.rate.map { Int64($0.quota) })
        parameters.add(grant.rate.map { Int64($0.seconds) })
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> KeyRecord { try LookupKeys.decode(&row) }
}

/// Revokes a key. No row is returned if there is none, or it was revoked before.
struct RevokeKey: Statement {
    let id: String
    let actor: String

    static let sql = """
        UPDATE access_keys SET revoked_at = now(), actor = $2, version = version + 1
        WHERE id = $1 AND revoked_at IS NULL RETURNING id
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(id)
        parameters.add(actor)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.text() }
}

/// Sets the time of last use of keys to now.
struct NoteKeyUses: Statement {
    let ids: [String]

    static let sql = "UPDATE access_keys SET last_used_at = now() WHERE id = ANY($1::text[])"

    func bind(to parameters: inout Parameters) { parameters.add(ids) }

    typealias Row = NoRow
}

extension RowReader {
    /// Reads the quota and its window in seconds.
    fileprivate mutating func rate() throws(PostgresError) -> Rate? {
        let (quota, seconds) = (try optionalInteger(), try optionalInteger())
        guard let quota, let seconds else { return nil }
        return Rate(Int(quota), perSeconds: Int(seconds))
    }
}
