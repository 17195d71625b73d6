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

/// Discrepancies between records and their events, in a range of handles.
struct FindDiscrepancies: Statement {
    let after: String
    let upTo: String
    let salt: [UInt8]

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
        SELECT f.handle, f.version, f.kind FROM (
            SELECT coalesce(h.handle, e.handle) AS handle, e.version, CASE
                WHEN e.handle IS NULL THEN 'no_history'
                WHEN e.hash <> \(hash) THEN 'broken_chain'
                WHEN e.previous_version IS NULL AND e.version <> 1
                    OR e.previous_version <> e.version - 1 OR e.previous_state <> e.from_state
                    OR e.previous_at > e.at THEN 'gap'
                WHEN e.next_version IS NULL AND h.handle IS NULL THEN 'no_name'
                WHEN e.next_version IS NULL AND (
                    h.version <> e.version OR h.state <> e.to_state OR h.display IS DISTINCT FROM e.display
                    OR h.changed_at <> e.at OR h.until IS DISTINCT FROM e.until
                    OR h.state = 'r' AND e.action IN ('r', 'i') AND h.reason IS DISTINCT FROM e.reason
                    OR coalesce(h.former, sha256($3::bytea || convert_to(h.owner, 'UTF8'))) IS DISTINCT FROM e.owner
                ) THEN 'differs'
            END AS kind
            FROM (
                SELECT \(Event.columns), hash, lag(hash) OVER w AS previous, lag(version) OVER w AS previous_version,
                    lag(to_state) OVER w AS previous_state, lag(at) OVER w AS previous_at,
                    lead(version) OVER w AS next_version
                FROM handle_events WHERE handle > $1 AND handle <= $2
                WINDOW w AS (PARTITION BY handle ORDER BY version)
            ) AS e
            FULL JOIN (
                SELECT handle, version, state, display, changed_at, until, owner, former, reason
                FROM handles WHERE handle > $1 AND handle <= $2
            ) AS h ON h.handle = e.handle
        ) AS f WHERE f.kind IS NOT NULL ORDER BY f.handle, f.version
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(after)
        parameters.add(upTo)
        parameters.add(bytes: salt)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Discrepancy {
        let (handle, version, kind) = (try row.text(), try row.optionalInteger(), try row.text())
        guard let kind = Discrepancy.Kind(rawValue: kind) else {
            throw PostgresError(.unreadable, "the verification reported an unknown kind")
        }
        return Discrepancy(subject: handle, version: version, kind: kind)
    }
}

/// The changes of state of handles, each in order.
struct LookupSteps: Statement {
    let handles: [Handle]

    struct Row: Sendable {
        let handle: Handle
        let step: Origin.Step
    }

    static let sql = """
        SELECT handle, from_state, to_state, at, until FROM handle_events
        WHERE handle = ANY($1::text[]) ORDER BY handle, version
        """

    func bind(to parameters: inout Parameters) { parameters.add(handles.map(\.letters)) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        guard let handle = Handle(try row.text()) else { throw .foreignRow }
        let (from, to) = (try row.state(), try row.state())
        return Row(
            handle: handle, step: Origin.Step(from: from, to: to, at: try row.date(), until: try row.optionalDate()))
    }
}

/// A page of the look-alike keys, in order.
struct LookalikesPage: Statement {
    let after: PackedASCII

    static let size = 2000
    static let sql = """
        SELECT \(LookalikeEntry.columns), now() FROM lookalike_keys WHERE key > $1 ORDER BY key LIMIT \(size)
        """

    func bind(to parameters: inout Parameters) { parameters.add(after) }

    typealias Row = LookalikeEntry
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
        SELECT owner, count(*) FROM handles WHERE owner = ANY($1::text[]) AND state = 'c' GROUP BY owner
        """

    func bind(to parameters: inout Parameters) { parameters.add(owners) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        Row(owner: try row.text(), count: try row.integer())
    }
}
