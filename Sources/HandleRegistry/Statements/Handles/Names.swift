import HandleRules
import Postgres

import struct FoundationEssentials.Date

/// A record and its last event, to which the next event is chained.
struct StoredName: Sendable {
    private(set) var record: Record
    let lastState: Handle.State
    let lastHash: [UInt8]?

    static let columns = """
        h.handle, h.display, h.state, h.owner, h.former, h.hold, h.reason, h.version, h.change, h.until, h.changed_at,
        coalesce(e.to_state, 'f'), e.hash
        """
    static let tables = """
        handles AS h LEFT JOIN handle_events AS e ON e.handle = h.handle AND e.version = h.version
        """

    /// The same, with the lapse by the time of the transaction that has read it.
    func read(at now: Date) -> StoredName {
        var name = self
        name.record.hasLapsed = record.until.map { $0 <= now } ?? false
        return name
    }
}

extension Statement where Row == StoredName {
    static func decode(_ row: inout RowReader) throws(PostgresError) -> StoredName {
        let record = try Record(row: &row, readsLapse: false)
        return StoredName(record: record, lastState: try row.state(), lastHash: try row.optionalBytes())
    }
}

/// Locks the record of a handle, and reads it with its last event.
///
/// Changes exclude each other by the row of the look-alike key. The record is locked so that a change waits for other
/// sessions here, and not within the commit: a caller that gives up then has changed nothing. After such a wait the
/// record is new, and its event is missing: PostgreSQL reads only the locked row again.
struct LockName: Statement {
    let handle: Handle

    static let sql = """
        SELECT \(StoredName.columns) FROM \(StoredName.tables) WHERE h.handle = $1 FOR UPDATE OF h
        """

    func bind(to parameters: inout Parameters) { parameters.add(handle.letters) }

    typealias Row = StoredName
}

/// The existing records of handles, and their last events. They are not locked, because a distributed database locks no
/// rows of many shards.
struct LookupStored: Statement {
    let handles: [Handle]

    static let sql = "SELECT \(StoredName.columns) FROM \(StoredName.tables) WHERE h.handle = ANY($1::text[])"

    func bind(to parameters: inout Parameters) { parameters.add(handles.map(\.letters)) }

    typealias Row = StoredName
}

/// Writes the next version of a record, and fails its transaction if the stored version is not the one before
/// (``PostgresError/isOfChangedName``).
///
/// The primary key decides between two transactions that insert the same handle.
struct PutName: Statement {
    let record: Record

    static let sql = """
        INSERT INTO handles AS h (\(Record.storedColumns))
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8::bigint, $9, $10, $11)
        \(whatChanges)
        """

    /// Version 0 violates a constraint of the table.
    static let whatChanges = """
        ON CONFLICT (handle) DO UPDATE SET
            display = EXCLUDED.display, state = EXCLUDED.state, owner = EXCLUDED.owner, former = EXCLUDED.former,
            hold = EXCLUDED.hold, reason = EXCLUDED.reason,
            version = CASE WHEN h.version = EXCLUDED.version - 1 THEN EXCLUDED.version ELSE 0 END,
            change = EXCLUDED.change, until = EXCLUDED.until, changed_at = EXCLUDED.changed_at
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(record.handle.letters)
        parameters.add(record.display.storedLetters)
        parameters.add(letter: record.state.code)
        parameters.add(record.owner?.id)
        parameters.add(bytes: record.former?.bytes)
        parameters.add(record.hold)
        parameters.add(record.reason)
        parameters.add(record.version)
        parameters.add(record.change)
        parameters.add(record.until)
        parameters.add(record.changedAt)
    }

    typealias Row = NoRow
}

/// ``PutName`` for many records, in alphabetical order.
struct PutNames: Statement {
    let records: [Record]

    static let sql = """
        INSERT INTO handles AS h (\(Record.storedColumns))
        SELECT u.handle, u.display, u.state::"char", u.owner, u.former, u.hold, u.reason, u.version, u.change, u.until,
            u.changed_at
        FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bytea[], $6::text[], $7::text[], $8::bigint[],
            $9::bigint[], $10::timestamptz[], $11::timestamptz[])
            AS u (\(Record.storedColumns))
        \(PutName.whatChanges)
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(records.map(\.handle.letters))
        parameters.add(records.map(\.display.storedLetters?.description))
        parameters.add(records.map(\.state.letter))
        parameters.add(records.map(\.owner?.id))
        parameters.add(records.map(\.former?.bytes))
        parameters.add(records.map(\.hold))
        parameters.add(records.map(\.reason))
        parameters.add(records.map(\.version))
        parameters.add(records.map(\.change))
        parameters.add(records.map(\.until))
        parameters.add(records.map(\.changedAt))
    }

    typealias Row = NoRow
}

extension PostgresError {
    /// True if ``PutName`` found another version of the record, or its event exists already: another transaction has
    /// changed the handle since it was read. A distributed database may report a node's error without the name of the
    /// constraint.
    var isOfChangedName: Bool {
        switch sqlState {
        case "23514": constraint?.hasPrefix("handles_version") ?? true
        case "23505": constraint?.hasPrefix("handle_events_pkey") ?? true
        default: false
        }
    }
}

extension PostgresError {
    /// True if another transaction holds a row or has changed it: a change may succeed alone, or later.
    var isOfContention: Bool { isLockTimeout || isOfChangedName }
}

/// Rewrites a record unchanged, to force a synchronous commit before its state is reported.
struct Confirm: Statement {
    let handle: Handle
    let version: Int64

    static let sql = "UPDATE handles SET version = version WHERE handle = $1 AND version = $2::bigint RETURNING version"

    func bind(to parameters: inout Parameters) {
        parameters.add(handle.description)
        parameters.add(version)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}

/// The same for many records, without a check of their versions: the keys of their handles must be locked. It also serves
/// as a lock of the records.
struct ConfirmAll: Statement {
    let handles: [Handle]

    static let sql = "UPDATE handles SET version = version WHERE handle = ANY($1::text[])"

    func bind(to parameters: inout Parameters) { parameters.add(handles.map(\.letters)) }

    typealias Row = NoRow
}

extension CopyRows {
    /// Rows of new records. They must be added in alphabetical order.
    static func names(reservingCapacity capacity: Int = 0) -> CopyRows {
        CopyRows(
            table: "handles",
            columns: [
                "handle", "display", "state", "owner", "former", "hold", "reason", "version", "change", "until",
                "changed_at",
            ], reservingCapacity: capacity)
    }

    mutating func add(_ record: Record) {
        addRow { row in
            row.add(record.handle.letters)
            row.add(record.display.storedLetters)
            row.add(letter: record.state.code)
            row.add(record.owner?.id)
            row.add(bytes: record.former?.bytes)
            row.add(record.hold)
            row.add(record.reason)
            row.add(version: record.version)
            row.add(record.change)
            row.add(record.until)
            row.add(record.changedAt)
        }
    }
}
