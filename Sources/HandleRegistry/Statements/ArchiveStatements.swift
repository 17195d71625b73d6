import HandleCore
import Postgres

import struct FoundationEssentials.Date

/// A page of records, in alphabetical order.
struct ArchivedNames: Statement {
    let after: PackedASCII
    /// True to include free and lapsed records.
    let withFree: Bool

    static let size = 2000
    static let sql = """
        SELECT \(Record.columns), coalesce(until <= now(), false) FROM handles
        WHERE handle > $1 AND ($2 OR (state <> 'free' AND (until IS NULL OR until > now())))
        ORDER BY handle LIMIT \(size)
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(after)
        parameters.add(withFree)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Record {
        try Record(row: &row, readsLapse: true)
    }
}

/// The events of handles, each oldest first.
struct EventsOfMany: Statement {
    let handles: [Handle]

    struct Row: Sendable {
        let handle: Handle
        let event: Event
    }

    static let sql = """
        SELECT handle, version, at, actor, action, from_state, to_state, display, owner, reason, related, until
        FROM handle_events WHERE handle = ANY($1::text[]) ORDER BY handle, version
        """

    func bind(to parameters: inout Parameters) { parameters.add(handles.map(\.letters)) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        guard let handle = Handle(try row.text()) else {
            throw PostgresError(.unreadable, "the table of events has an invalid name")
        }
        return Row(handle: handle, event: try LookupEvents.decode(&row))
    }
}

/// The ids and the quarantined handles of owners. A deleted owner has no id.
struct LookupAccounts: Statement {
    let marks: [OwnerMark]

    struct Row: Sendable {
        let mark: OwnerMark
        let owner: Owner?
        let quarantined: [String]
    }

    static let sql = "SELECT owner, id, quarantined FROM owners WHERE owner = ANY($1::bytea[])"

    func bind(to parameters: inout Parameters) { parameters.add(marks.map(\.bytes)) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        Row(
            mark: OwnerMark(bytes: try row.bytes()), owner: try row.optionalText().map(Owner.init(stored:)),
            quarantined: try row.texts())
    }
}

/// Inserts a change of a word with its original time. No row is returned if the word has a change already.
struct RestoreWord: Statement {
    let change: WordChange

    static let sql = """
        INSERT INTO reserved_words (word, category, match, source, comment, actor, changed_at, until, version)
        VALUES ($1, $2, $3, $4, $5, $6, $7::timestamptz, $8::timestamptz, 1)
        ON CONFLICT (word) DO NOTHING RETURNING version
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(change.word)
        parameters.add(change.category)
        parameters.add(change.match?.rawValue ?? "none")
        parameters.add(change.source)
        parameters.add(change.comment)
        parameters.add(change.actor)
        parameters.add(change.changedAt)
        parameters.add(change.until)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}

/// Inserts owners, or adds ids, claims and holds to their rows.
struct RestoreOwners: Statement {
    let owners: [(mark: OwnerMark, id: String?, claims: Int64, hold: (handle: Handle, end: Date)?)]

    static let sql = """
        INSERT INTO owners AS o (owner, id, claimed, quarantined, holds, hold_ends, changed_at)
        SELECT u.owner, u.id, u.claims, '{}',
            CASE WHEN u.hold IS NULL THEN '{}'::text[] ELSE ARRAY[u.hold] END,
            CASE WHEN u.hold IS NULL THEN '{}'::timestamptz[] ELSE ARRAY[u.hold_end] END, now()
        FROM unnest($1::bytea[], $2::text[], $3::bigint[], $4::text[], $5::timestamptz[])
            AS u (owner, id, claims, hold, hold_end)
        ON CONFLICT (owner) DO UPDATE SET
            id = coalesce(EXCLUDED.id, o.id), claimed = o.claimed + EXCLUDED.claimed,
            holds = o.holds || EXCLUDED.holds, hold_ends = o.hold_ends || EXCLUDED.hold_ends,
            changed_at = EXCLUDED.changed_at
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(owners.map(\.mark.bytes))
        parameters.add(owners.map(\.id))
        parameters.add(owners.map(\.claims))
        parameters.add(owners.map { $0.hold?.handle.description })
        parameters.add(owners.map { $0.hold?.end })
    }

    typealias Row = NoRow
}

/// Notes handles in quarantine for an owner, oldest first, before those noted already.
struct RestoreQuarantined: Statement {
    let mark: OwnerMark
    let handles: [Handle]

    static let sql = """
        UPDATE owners SET quarantined = $2::text[] || ARRAY(
            SELECT q.name FROM unnest(quarantined) WITH ORDINALITY AS q (name, place)
            WHERE q.name <> ALL($2::text[]) ORDER BY q.place
        ) WHERE owner = $1 AND NOT quarantined @> $2::text[]
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(bytes: mark.bytes)
        parameters.add(handles.map(\.letters))
    }

    typealias Row = NoRow
}

/// Locks the existing rows of look-alike keys.
struct LockKnownLookalikes: Statement {
    let keys: [LookalikeKey]

    static let sql = """
        UPDATE lookalikes SET version = version + 1, changed_at = now() WHERE key = ANY($1::text[])
        RETURNING \(LookalikeEntry.columns), changed_at
        """

    func bind(to parameters: inout Parameters) { parameters.add(keys.map(\.letters)) }

    typealias Row = LookalikeEntry
}
