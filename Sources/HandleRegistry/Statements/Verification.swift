import HandleRules
import Postgres

/// The last handle of a page of events; no row for the last page.
struct VerifiedPage: Statement {
    let after: String
    let limit: Int64

    static let sql = """
        SELECT max(p.handle) FROM (
            SELECT handle FROM handle_events WHERE handle > $1 ORDER BY handle, version LIMIT $2
        ) AS p HAVING count(*) = $2
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(after)
        parameters.add(limit)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.text() }
}

/// Events that were changed, and gaps before events, in a range of handles.
struct FindBrokenEvents: Statement {
    let after: String
    let upTo: String

    /// The hash that chains an event `e` to the event before it, with the hash `e.previous`. The program that writes
    /// events computes it by itself (``ChainedEvent``), so this is an independent check.
    private static let hash = """
        sha256(coalesce(e.previous, '') || convert_to(json_build_array(
            e.handle, e.version, (extract(epoch FROM e.at) * 1000000)::bigint, e.actor,
            \(Event.Action.words(for: "e.action")), \(Handle.State.words(for: "e.from_state")), \(Handle.State.words(for: "e.to_state")),
            coalesce(e.display, e.handle), encode(e.owner, 'hex'), e.reason, e.related,
            (extract(epoch FROM e.until) * 1000000)::bigint
        )::text, 'UTF8'))
        """

    static let sql = """
        SELECT f.handle, f.version, f.is_broken FROM (
            SELECT e.handle, e.version, e.hash <> \(hash) AS is_broken, coalesce(
                e.previous_version IS NULL AND e.version <> 1 OR e.previous_version <> e.version - 1
                OR e.previous_state <> e.from_state OR e.previous_at > e.at, false) AS is_gap
            FROM (
                SELECT \(Event.columns), hash, lag(hash) OVER w AS previous, lag(version) OVER w AS previous_version,
                    lag(to_state) OVER w AS previous_state, lag(at) OVER w AS previous_at
                FROM handle_events WHERE handle > $1 AND handle <= $2
                WINDOW w AS (PARTITION BY handle ORDER BY version)
            ) AS e
        ) AS f WHERE f.is_broken OR f.is_gap ORDER BY f.handle, f.version
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(after)
        parameters.add(upTo)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Discrepancy {
        Discrepancy(
            subject: try row.text(), version: try row.integer(), kind: try row.boolean() ? .brokenChain : .gap)
    }
}

/// The last event of each handle in a range.
struct LastEvents: Statement {
    let after: String
    let upTo: String

    static let sql = """
        SELECT DISTINCT ON (handle) \(Event.columns), hash FROM handle_events WHERE handle > $1 AND handle <= $2
        ORDER BY handle, version DESC
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(after)
        parameters.add(upTo)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> ChainedEvent {
        ChainedEvent(try Event(row: &row), hash: try row.bytes())
    }
}

/// A page of all names in any state, in the order of the primary key.
struct NamesWithKeysPage: Statement {
    let last: Row?

    struct Row: Sendable {
        let key: PackedASCII
        let place: Int64
        let handle: Handle
    }

    static let size = 10_000
    static let sql = """
        SELECT key, place, handle FROM names WHERE (key, place) > ($1, $2::bigint) ORDER BY key, place LIMIT \(size)
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(last?.key ?? PackedASCII())
        parameters.add(last?.place ?? -1)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        guard let key = try row.packedASCII() else { throw .foreignRow }
        let place = try row.integer()
        guard let handle = try row.packedASCII().flatMap({ Handle($0) }) else { throw .foreignRow }
        return Row(key: key, place: place, handle: handle)
    }
}

/// Those of some handles that have a first event.
struct LookupHistories: Statement {
    let handles: [Handle]

    static let sql = "SELECT handle FROM handle_events WHERE handle = ANY($1::text[]) AND version = 1"

    func bind(to parameters: inout Parameters) { parameters.add(handles.map(\.letters)) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> PackedASCII? { try row.packedASCII() }
}

/// The changes of state of handles, each in order.
struct LookupSteps: Statement {
    let handles: [Handle]

    struct Row: Sendable {
        let handle: Handle
        let step: Origin.Step
    }

    static let sql = """
        SELECT handle, from_state, to_state, at, until, action FROM handle_events
        WHERE handle = ANY($1::text[]) ORDER BY handle, version
        """

    func bind(to parameters: inout Parameters) { parameters.add(handles.map(\.letters)) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        guard let handle = Handle(try row.text()) else { throw .foreignRow }
        let (from, to) = (try row.state(), try row.state())
        return Row(
            handle: handle,
            step: Origin.Step(
                from: from, to: to, at: try row.date(), until: try row.optionalDate(),
                isRevert: try row.letter() == Event.Action.reverted.code))
    }
}

struct CountEvents: Statement {
    static let sql = "SELECT count(*) FROM handle_events"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}

/// The counts of claims in the owners' rows: a page of them, or one.
struct LookupCounts: Statement {
    private let after: [UInt8]
    private let mark: OwnerMark?

    init(after: [UInt8]) { (self.after, mark) = (after, nil) }

    init(of mark: OwnerMark) { (after, self.mark) = ([], mark) }

    struct Row: Sendable {
        let mark: OwnerMark
        let id: String?
        let claimed: Int64
    }

    static let pageSize = 10_000
    static let sql = """
        SELECT owner, id, claimed FROM owners
        WHERE owner > $1 AND ($2::bytea IS NULL OR owner = $2) ORDER BY owner LIMIT \(pageSize)
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(bytes: after)
        parameters.add(bytes: mark?.bytes)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        Row(mark: OwnerMark(bytes: try row.bytes()), id: try row.optionalText(), claimed: try row.integer())
    }
}

/// The numbers of claimed handles by owner.
struct CountClaims: Statement {
    let owners: [String]

    struct Row: Sendable {
        let owner: String
        let count: Int64
    }

    static let sql = """
        SELECT owner, count(*) FROM names WHERE owner = ANY($1::text[]) AND state = 'c' GROUP BY owner
        """

    func bind(to parameters: inout Parameters) { parameters.add(owners) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        Row(owner: try row.text(), count: try row.integer())
    }
}
