import HandleCore
import Postgres

import struct FoundationEssentials.Date

// The statements of reservations and of their end for many names: one row each, in the order of what they lock. Names
// come up once in a statement, and so do keys.

/// Keeps a long statement from being given up, and the transaction while its rows are worked out; for many rows.
struct LongStatements: Statement {
    /// How long a statement of a bulk transaction may take.
    static let longest = Duration.seconds(60)
    static let sql = """
        SELECT set_config(t.name, '60s', true)
        FROM (VALUES ('statement_timeout'), ('lock_timeout'), ('idle_in_transaction_session_timeout')) AS t (name)
        """

    func bind(to parameters: inout Parameters) {}

    typealias Row = NoRow
}

/// The moment at which the transaction began.
struct TransactionTime: Statement {
    static let sql = "SELECT now()"

    func bind(to parameters: inout Parameters) {}

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Date { try row.date() }
}

/// Locks the rows of look-alike keys. Where one is missing it is made, and says nothing.
struct LockLookalikes: Statement {
    let keys: [LookalikeKey]

    static let sql = """
        INSERT INTO lookalikes AS l (key, protector, protected_until, names, ends, exempt, version, changed_at)
        SELECT u.key, NULL, NULL, '{}', '{}', '{}', 1, now() FROM unnest($1::text[]) AS u (key)
        ON CONFLICT (key) DO UPDATE SET version = l.version + 1, changed_at = EXCLUDED.changed_at
        RETURNING \(LookalikeEntry.columns), changed_at
        """

    func bind(to parameters: inout Parameters) { parameters.add(keys.map(\.letters)) }

    typealias Row = LookalikeEntry
}

/// Writes back locked keys that no name has but the one that they are kept for; ``PutLookalike`` is for all others.
struct PutProtectors: Statement {
    let entries: [LookalikeEntry]

    static let sql = """
        INSERT INTO lookalikes AS l (key, protector, protected_until, names, ends, exempt, version, changed_at)
        SELECT u.key, u.protector, u.until, '{}', '{}', '{}', 1, now()
        FROM unnest($1::text[], $2::text[], $3::timestamptz[]) AS u (key, protector, until)
        ON CONFLICT (key) DO UPDATE SET
            protector = EXCLUDED.protector, protected_until = EXCLUDED.protected_until, names = EXCLUDED.names,
            ends = EXCLUDED.ends, exempt = EXCLUDED.exempt, next_protectors = EXCLUDED.next_protectors
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(entries.map(\.key.letters))
        parameters.add(entries.map { $0.protector?.description })
        parameters.add(entries.map(\.protectedUntil))
    }

    typealias Row = NoRow
}

/// Keeps names, maybe for owners and until dates; those that somebody has don't come back.
struct TakeReservations: Statement {
    let names: [NameToReserve]
    let change: Int64

    static let sql = """
        INSERT INTO handles AS h
            (handle, display, state, owner, hold, reason, version, change, until, changed_at)
        SELECT u.handle, u.display, 'reserved', u.owner, NULL, u.reason, 1, $6, u.until, now()
        FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[])
            AS u (handle, display, owner, reason, until)
        ON CONFLICT (handle) DO UPDATE SET
            display = EXCLUDED.display, state = 'reserved', owner = EXCLUDED.owner, former = NULL, hold = NULL,
            reason = EXCLUDED.reason, version = h.version + 1, change = EXCLUDED.change, until = EXCLUDED.until,
            changed_at = greatest(h.changed_at, EXCLUDED.changed_at)
        WHERE h.state = 'free' OR h.until <= EXCLUDED.changed_at
        RETURNING \(Record.columns)
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(names.map(\.display.handle.letters))
        parameters.add(names.map(\.display.letters))
        parameters.add(names.map(\.reservation.owner?.id))
        parameters.add(names.map(\.reservation.reason))
        parameters.add(names.map(\.reservation.until))
        parameters.add(change)
    }

    typealias Row = Record
}

/// Frees the reservations that certain changes made, and that nothing has happened to since.
struct FreeReservations: Statement {
    let handles: [Handle]
    let changes: [Int64]
    let change: Int64

    static let sql = """
        UPDATE handles SET
            state = 'free', owner = NULL, former = NULL, until = NULL, hold = NULL, reason = NULL,
            version = version + 1, change = $3, changed_at = greatest(changed_at, now())
        WHERE handle = ANY($1::text[]) AND change = ANY($2::bigint[]) AND state = 'reserved'
        RETURNING \(Record.columns)
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(handles.map(\.letters))
        parameters.add(changes)
        parameters.add(change)
    }

    typealias Row = Record
}

/// The last event of each of many names, by whose hash the next one is chained to it.
struct LastEvents: Statement {
    let handles: [Handle]

    struct Row: Sendable {
        let handle: PackedASCII
        let version: Int64
        let state: State
        let hash: [UInt8]
    }

    static let sql = """
        SELECT DISTINCT ON (handle) handle, version, to_state, hash FROM handle_events
        WHERE handle = ANY($1::text[]) ORDER BY handle, version DESC
        """

    func bind(to parameters: inout Parameters) { parameters.add(handles.map(\.letters)) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        let (handle, version, state) = (try row.packedASCII(), try row.integer(), try row.text())
        guard let handle, let state = State(rawValue: state) else {
            throw PostgresError(.unreadable, "the table of events has a row that no version of this program wrote")
        }
        return Row(handle: handle, version: version, state: state, hash: try row.bytes())
    }
}

extension Transaction {
    /// Appends the events by which names came to what they are now.
    ///
    /// The rows are made here and copied: a statement that joins thousands of names to two tables may be planned for
    /// the few rows that these had when they were last counted, and take minutes.
    /// - Parameters:
    ///   - records: as the change has left them.
    ///   - last: the events before, read in this transaction.
    ///   - explain: who did it and why, and what else is to be noted.
    /// - Returns: false when the history is not at the version before.
    mutating func append(
        _ action: Event.Action, _ records: [Record], after last: [LastEvents.Row], _ scope: Scope,
        explain: (Handle) -> (cause: Cause, related: Handle?)
    ) async throws -> Bool {
        let lastOf = Dictionary(last.map { ($0.handle, $0) }) { first, _ in first }
        var rows = CopyRows.events(reservingCapacity: records.count * 250)
        for record in records.sorted(by: { $0.handle < $1.handle }) {
            let last = lastOf[record.handle.letters]
            guard last?.version ?? 0 == record.version - 1 else { return false }
            let (cause, related) = explain(record.handle)
            rows.add(
                Event(
                    version: record.version, at: record.changedAt, actor: cause.actor,
                    action: action, from: last?.state ?? .free, to: record.state, display: record.display,
                    owner: record.owner.map(scope.mark), reason: cause.reason ?? record.reason,
                    related: related?.description, until: record.until), after: last?.hash)
        }
        try await copy(rows)
        return true
    }
}
