import HandleRules
import HandleWords
import Postgres

import struct FoundationEssentials.Date

/// A change that the feed has not numbered yet.
struct OutboxRow: Sendable {
    /// The time of the change. Of two changes of one handle, the later one has no earlier time.
    let at: Date
    let version: Int64
    let handle: Handle
}

/// Notes changes for the feed, if it is on, in the transaction that makes them and after it has written to `names`: so
/// ``Registry/keepFeed(for:)`` waits for them.
struct NoteForFeed: Statement {
    let rows: [OutboxRow]

    static let sql = """
        INSERT INTO feed_outbox (at, version, key, handle)
        SELECT u.at, u.version, u.key, u.handle
        FROM unnest($1::timestamptz[], $2::bigint[], $3::text[], $4::text[]) AS u (at, version, key, handle)
        WHERE EXISTS (SELECT FROM feed_state WHERE id = 1 AND kept > 0)
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(rows.map(\.at))
        parameters.add(rows.map(\.version))
        parameters.add(keysOf: rows.map(\.handle))
        parameters.add(rows.map(\.handle.letters))
    }

    typealias Row = NoRow
}

/// Moments of the oldest changes in the outbox, in order.
struct OutboxTimes: Statement {
    let limit: Int

    static let sql = "SELECT at FROM feed_outbox ORDER BY at LIMIT $1"

    func bind(to parameters: inout Parameters) { parameters.add(Int64(limit)) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Date { try row.date() }
}

/// Takes changes out of the outbox. It waits for a transaction that has taken them already, so none is taken twice.
struct TakeFromOutbox: Statement {
    /// The moment of the last of them.
    let end: Date

    static let sql = "DELETE FROM feed_outbox WHERE at <= $1 RETURNING at, version, handle"

    func bind(to parameters: inout Parameters) { parameters.add(end) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> OutboxRow {
        let (at, version) = (try row.date(), try row.integer())
        guard let handle = try row.packedASCII().flatMap({ Handle($0) }) else { throw .foreignRow }
        return OutboxRow(at: at, version: version, handle: handle)
    }
}

/// Empties the outbox.
struct EmptyOutbox: Statement {
    static let sql = "DELETE FROM feed_outbox"
    typealias Row = NoRow
}

/// Adds numbered changes to the feed.
struct AppendToFeed: Statement {
    /// The number of the first.
    let first: Int64
    let rows: [OutboxRow]

    static let sql = """
        INSERT INTO feed (seq, numbered_at, version, handle)
        SELECT u.seq, now(), u.version, u.handle
        FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS u (seq, version, handle)
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(rows.indices.map { first + Int64($0) })
        parameters.add(rows.map(\.version))
        parameters.add(rows.map(\.handle.letters))
    }

    typealias Row = NoRow
}

/// A page of the feed, without the events themselves.
struct FeedEntries: Statement {
    let after: Int64
    let limit: Int

    static let sql = "SELECT seq, handle, version FROM feed WHERE seq > $1 ORDER BY seq LIMIT $2"

    func bind(to parameters: inout Parameters) {
        parameters.add(after)
        parameters.add(Int64(limit))
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> (seq: Int64, handle: Handle, version: Int64) {
        let seq = try row.integer()
        guard let handle = try row.packedASCII().flatMap({ Handle($0) }) else { throw .foreignRow }
        return (seq, handle, try row.integer())
    }
}

/// Events by handle and version.
struct EventsOfVersions: Statement {
    let versions: [(handle: Handle, version: Int64)]

    private static let qualified = Event.columns.replacing(/\w+/) { "e.\($0.output)" }
    static let sql = """
        SELECT \(qualified) FROM unnest($1::text[], $2::bigint[]) AS u (handle, version)
        JOIN handle_events AS e ON e.handle = u.handle AND e.version = u.version
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(versions.map(\.handle.letters))
        parameters.add(versions.map(\.version))
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Event { try Event(row: &row) }
}

/// The state of the feed.
struct LookupFeed: Statement {
    static let sql = "SELECT seq, floor, kept FROM feed_state WHERE id = 1"

    static func decode(_ row: inout RowReader) throws(PostgresError) -> FeedState {
        FeedState(seq: try row.integer(), floor: try row.integer(), kept: .seconds(try row.integer()))
    }
}

/// Locks the state of the feed, and reads it.
struct LockFeed: Statement {
    static let sql = "\(LookupFeed.sql) FOR UPDATE"

    static func decode(_ row: inout RowReader) throws(PostgresError) -> FeedState { try LookupFeed.decode(&row) }
}

/// Waits for all transactions that have written to `names`, and keeps others from it until the end of this one.
struct LockNames: Statement {
    static let sql = "LOCK TABLE names IN SHARE MODE"
    typealias Row = NoRow
}

/// A row if there was ever a name.
struct HasNames: Statement {
    static let sql = "SELECT true FROM names LIMIT 1"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.boolean() }
}

/// Writes the state of the feed, which must be locked.
struct PutFeed: Statement {
    let state: FeedState

    static let sql = "UPDATE feed_state SET seq = $1::bigint, floor = $2::bigint, kept = $3::bigint WHERE id = 1"

    func bind(to parameters: inout Parameters) {
        parameters.add(state.seq)
        parameters.add(state.floor)
        parameters.add(state.kept.components.seconds)
    }

    typealias Row = NoRow
}

/// The state of the feed, and whether a service may give numbers: it does so already, or the time of the one that did is
/// over.
struct LookupLead: Statement {
    let leader: String

    static let sql = """
        SELECT seq, floor, kept, leader IS NULL OR leader = $1 OR lease_end <= now() FROM feed_state WHERE id = 1
        """

    func bind(to parameters: inout Parameters) { parameters.add(leader) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> (state: FeedState, mayLead: Bool) {
        (try LookupFeed.decode(&row), try row.boolean())
    }
}

/// Makes a service the one that gives numbers, for some seconds, and locks the state of the feed. No row if another one
/// does.
struct TakeLead: Statement {
    let leader: String
    /// How long a service that has stopped keeps others from giving numbers.
    let lease: Duration

    static let sql = """
        UPDATE feed_state SET leader = $1, lease_end = now() + $2::interval
        WHERE id = 1 AND kept > 0 AND (leader IS NULL OR leader = $1 OR lease_end <= now()) RETURNING seq, floor, kept
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(leader)
        parameters.add(lease)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> FeedState { try LookupFeed.decode(&row) }
}

/// The number of the last event among the oldest ones that is older than the feed keeps; no row if there is none.
struct LastOldEntry: Statement {
    static let size = 10_000
    static let sql = """
        SELECT max(o.seq) FROM (SELECT seq, numbered_at FROM feed ORDER BY seq LIMIT \(size)) AS o
        WHERE o.numbered_at <= now() - (SELECT kept FROM feed_state WHERE id = 1) * '1 second'::interval
        HAVING count(*) > 0
        """

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}

/// Deletes the events up to a number.
struct DeleteEntries: Statement {
    let end: Int64

    static let sql = "DELETE FROM feed WHERE seq <= $1"

    func bind(to parameters: inout Parameters) { parameters.add(end) }

    typealias Row = NoRow
}
