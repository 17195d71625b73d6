import HandleRules
import HandleWords
import Postgres

import struct FoundationEssentials.Date

/// A record and the hash of its last event, to which the next event is chained.
struct StoredName: Sendable {
    private(set) var record: Record
    let lastHash: [UInt8]

    /// The same, with the lapse by another time.
    func read(at now: Date) -> StoredName {
        var name = self
        name.record.hasLapsed = record.until.map { $0 <= now } ?? false
        if let offer = record.offer, offer.end <= now { name.record.offer = nil }
        return name
    }
}

/// Locks all names with a look-alike key, by the first of them.
///
/// A key without names needs no lock: of two transactions that add its first name, the primary key lets one through.
struct LockKey: Statement {
    let key: LookalikeKey

    static let sql = "SELECT place FROM names WHERE key = $1 AND place = 0 FOR UPDATE"

    func bind(to parameters: inout Parameters) { parameters.add(key.letters) }

    typealias Row = NoRow
}

/// The records with some look-alike keys in any state, in order, and the hashes of their last events.
struct LookupStored: Statement {
    let keys: [LookalikeKey]

    static let sql = """
        SELECT \(Record.columns), last_hash FROM names WHERE key = ANY($1::text[]) ORDER BY key, place
        """

    func bind(to parameters: inout Parameters) { parameters.add(keys.map(\.letters)) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> StoredName {
        StoredName(record: try Record(row: &row), lastHash: try row.bytes())
    }
}

/// Writes the next version of a record, and fails its transaction if the stored version is not the one before, or another
/// handle has taken the place (``PostgresError/isOfChangedName``).
struct PutName: Statement {
    let name: StoredName

    static let columns = "key, \(Record.storedColumns), last_hash"
    static let sql = """
        INSERT INTO names AS n (\(columns))
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::bigint, $10, $11, $12, $13::bigint, $14::bigint, $15, $16, $17,
            $18, $19)
        \(whatChanges)
        """

    /// Version 0 violates a constraint of the table.
    static let whatChanges = """
        ON CONFLICT (key, place) DO UPDATE SET
            handle = EXCLUDED.handle, display = EXCLUDED.display, state = EXCLUDED.state, owner = EXCLUDED.owner,
            former = EXCLUDED.former, hold = EXCLUDED.hold, reason = EXCLUDED.reason,
            version = CASE
                WHEN n.handle = EXCLUDED.handle AND n.version = EXCLUDED.version - 1 THEN EXCLUDED.version ELSE 0
            END,
            change = EXCLUDED.change, until = EXCLUDED.until, changed_at = EXCLUDED.changed_at,
            protection = EXCLUDED.protection, exempt = EXCLUDED.exempt, offer = EXCLUDED.offer,
            offer_end = EXCLUDED.offer_end, forward = EXCLUDED.forward, last_hash = EXCLUDED.last_hash
        """

    func bind(to parameters: inout Parameters) {
        let record = name.record
        parameters.add(LookalikeKey(record.handle).letters)
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
        parameters.add(Int64(record.place))
        parameters.add(record.protection.map(Int64.init))
        parameters.add(record.isExempt)
        parameters.add(record.offer?.secret)
        parameters.add(record.offer?.end)
        parameters.add(record.isForwarded)
        parameters.add(bytes: name.lastHash)
    }

    typealias Row = NoRow
}

/// ``PutName`` for many records, in the order of their keys and places.
struct PutNames: Statement {
    let names: [StoredName]

    static let sql = """
        INSERT INTO names AS n (\(PutName.columns))
        SELECT u.key, u.handle, u.display, u.state::"char", u.owner, u.former, u.hold, u.reason, u.version, u.change,
            u.until, u.changed_at, u.place, u.protection, u.exempt <> 0, u.offer, u.offer_end, u.forward <> 0,
            u.last_hash
        FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bytea[], $7::text[], $8::text[],
            $9::bigint[], $10::bigint[], $11::timestamptz[], $12::timestamptz[], $13::bigint[], $14::bigint[],
            $15::bigint[], $16::text[], $17::timestamptz[], $18::bigint[], $19::bytea[])
            AS u (\(PutName.columns))
        \(PutName.whatChanges)
        """

    func bind(to parameters: inout Parameters) {
        let records = names.map(\.record)
        parameters.add(keysOf: records.map(\.handle))
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
        parameters.add(records.map { Int64($0.place) })
        parameters.add(records.map { $0.protection.map(Int64.init) })
        parameters.add(records.map { Int64($0.isExempt ? 1 : 0) })
        parameters.add(records.map(\.offer?.secret))
        parameters.add(records.map(\.offer?.end))
        parameters.add(records.map { Int64($0.isForwarded ? 1 : 0) })
        parameters.add(names.map(\.lastHash))
    }

    typealias Row = NoRow
}

extension PostgresError {
    /// True if ``PutName`` found another version of the record or another record, or the event exists already: another
    /// transaction has changed the handle, or added one with its key, since it was read. A distributed database may report a
    /// node's error without the name of the constraint.
    var isOfChangedName: Bool {
        switch sqlState {
        case "23514": constraint?.hasPrefix("names_version") ?? true
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

    static let sql = """
        UPDATE names SET version = version WHERE key = $1 AND handle = $2 AND version = $3::bigint RETURNING version
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(LookalikeKey(handle).letters)
        parameters.add(handle.letters)
        parameters.add(version)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}

/// The same for many records and their look-alikes, without a check of their versions: the keys of their handles must be
/// locked.
struct ConfirmAll: Statement {
    let handles: [Handle]

    static let sql = "UPDATE names SET version = version WHERE key = ANY($1::text[])"

    func bind(to parameters: inout Parameters) { parameters.add(keysOf: handles) }

    typealias Row = NoRow
}

extension CopyRows {
    /// Rows of new records. They must be added in the order of their keys.
    static func names(reservingCapacity capacity: Int = 0) -> CopyRows {
        CopyRows(
            table: "names",
            columns: [
                "key", "handle", "display", "state", "owner", "former", "hold", "reason", "version", "change", "until",
                "changed_at", "place", "protection", "exempt", "forward", "last_hash",
            ], reservingCapacity: capacity)
    }

    mutating func add(_ name: StoredName, key: LookalikeKey) {
        let record = name.record
        addRow { row in
            row.add(key.letters)
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
            row.add(short: record.place)
            if let protection = record.protection { row.add(short: protection) } else { row.addNull() }
            row.add(record.isExempt)
            row.add(record.isForwarded)
            row.add(bytes: name.lastHash)
        }
    }
}
