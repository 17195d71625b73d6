import HandleCore
import Postgres

import struct FoundationEssentials.Date

// Statements that reserve many handles or end reservations: one row each, in lock order. A statement has each handle
// and each key once.

/// Raises the timeouts of statements, row locks and idle transactions, for transactions on many rows.
struct LongStatements: Statement {
    /// Timeout of a statement in a bulk transaction.
    static let longest = Duration.seconds(60)
    static let sql = """
        SELECT set_config(t.name, '60s', true)
        FROM (VALUES ('statement_timeout'), ('lock_timeout'), ('idle_in_transaction_session_timeout')) AS t (name)
        """

    func bind(to parameters: inout Parameters) {}

    typealias Row = NoRow
}

/// The start of the transaction.
struct TransactionTime: Statement {
    static let sql = "SELECT now()"

    func bind(to parameters: inout Parameters) {}

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Date { try row.date() }
}

/// Locks the rows of look-alike keys. Missing rows are inserted empty.
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

/// Writes back locked keys that have no handle but the protected one; ``PutLookalike`` writes all others.
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

/// Reserves handles. Handles in use are not returned.
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

/// Frees reservations that are unchanged since the given changes made them.
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

/// The last event of each handle. The hash of the next event is chained to it.
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
    /// Appends the events that led to the current versions of records.
    ///
    /// The rows are made here and copied. A statement that joins thousands of handles to two tables may be planned for
    /// the few rows that the tables had at the last ANALYZE, and then takes minutes.
    /// - Parameters:
    ///   - records: the records after the change.
    ///   - last: the events before, read in this transaction.
    ///   - explain: the cause of a change, and the other handle of its event.
    /// - Returns: false if a history does not end at the version before.
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
