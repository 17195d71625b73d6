import HandleCore
import Postgres

// Statements that make many claims at once: one row each, in lock order. No two claims have the same owner, look-alike
// key or handle.

/// ``LockAccount`` for many owners.
struct LockAccounts: Statement {
    let owners: [(mark: OwnerMark, owner: Owner)]

    static let sql = """
        INSERT INTO owners AS o (owner, id, claimed, quarantined, holds, hold_ends, changed_at)
        SELECT u.owner, u.id, 1, '{}', '{}', '{}', now() FROM unnest($1::bytea[], $2::text[]) AS u (owner, id)
        ON CONFLICT (owner) DO UPDATE SET
            id = EXCLUDED.id, claimed = o.claimed + EXCLUDED.claimed, changed_at = EXCLUDED.changed_at
        RETURNING owner, \(Account.columns)
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(owners.map(\.mark.bytes))
        parameters.add(owners.map(\.owner.id))
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Account {
        try Account(OwnerMark(bytes: row.bytes()), row: &row)
    }
}

/// ``LockLookalike`` for many claimed handles.
struct LockClaimedLookalikes: Statement {
    let handles: [Handle]

    static let sql = """
        INSERT INTO lookalikes AS l (key, protector, protected_until, names, ends, exempt, version, changed_at)
        SELECT u.key, NULL, NULL, ARRAY[u.handle], ARRAY[NULL::timestamptz], '{}', 1, now()
        FROM unnest($1::text[], $2::text[]) AS u (key, handle)
        ON CONFLICT (key) DO UPDATE SET version = l.version + 1, changed_at = EXCLUDED.changed_at
        RETURNING \(LookalikeEntry.columns), changed_at
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(handles.map { LookalikeKey($0).description })
        parameters.add(handles.map(\.description))
    }

    typealias Row = LookalikeEntry
}

/// ``TakeClaim`` for many claims. Handles in quarantine for the owner, or held with a secret, are not taken.
struct TakeClaims: Statement {
    let claims: [(display: DisplayHandle, owner: Owner, change: Int64)]

    static let sql = """
        INSERT INTO handles AS h
            (handle, display, state, owner, hold, reason, version, change, until, changed_at)
        SELECT u.handle, u.display, 'claimed', u.owner, NULL, NULL, 1, u.change, NULL, now()
        FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) AS u (handle, display, owner, change)
        \(TakeClaim.whatChanges)
        WHERE h.state = 'free' OR h.until <= EXCLUDED.changed_at OR h.owner = EXCLUDED.owner
        RETURNING \(Record.columns)
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(claims.map(\.display.handle.description))
        parameters.add(claims.map(\.display.description))
        parameters.add(claims.map(\.owner.id))
        parameters.add(claims.map(\.change))
    }

    typealias Row = Record
}

/// ``AppendEvent`` for many claims. It returns the handles of the appended events.
struct AppendClaims: Statement {
    let events: [(handle: Handle, change: Int64, owner: OwnerMark, cause: Cause)]

    static let sql = """
        INSERT INTO handle_events
            (handle, version, at, actor, action, from_state, to_state, display, owner, reason, related, until, hash)
        SELECT e.handle, e.version, e.at, e.actor, e.action, e.from_state, e.to_state, e.display, e.owner, e.reason,
            e.related, e.until, \(AppendEvent.hash)
        FROM (
            SELECT h.handle, h.version, h.changed_at AS at, u.actor, 'claimed' AS action,
                coalesce(p.to_state, 'free') AS from_state, h.state AS to_state, h.display, u.owner, u.reason,
                NULL::text AS related, h.until, p.hash AS previous
            FROM unnest($1::text[], $2::bigint[], $3::bytea[], $4::text[], $5::text[])
                AS u (handle, change, owner, actor, reason)
            JOIN handles AS h ON h.handle = u.handle AND h.change = u.change
            LEFT JOIN handle_events AS p ON p.handle = h.handle AND p.version = h.version - 1
        ) AS e
        ON CONFLICT (handle, version) DO NOTHING
        RETURNING handle
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(events.map(\.handle.description))
        parameters.add(events.map(\.change))
        parameters.add(events.map(\.owner.bytes))
        parameters.add(events.map(\.cause.actor))
        parameters.add(events.map(\.cause.reason))
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.text() }
}
