import HandleRules
import Postgres

extension OwnerEvent.Action: StoredByLetter {
    var code: UInt8 { rawValue.utf8.first ?? 0 }
}

/// An owner's event with its hash.
struct ChainedOwnerEvent: Sendable {
    let event: OwnerEvent
    let hash: [UInt8]

    /// The columns, in the order in which ``init(row:)`` reads them.
    static let columns = "e.owner, o.id, e.version, e.at, e.actor, e.action, e.reason, e.until, e.hash"

    /// - Parameter previous: the owner's event before it, if any.
    init(_ event: OwnerEvent, after previous: ChainedOwnerEvent?) {
        (self.event, hash) = (event, event.hash(after: previous?.hash))
    }

    fileprivate init(row: inout RowReader) throws(PostgresError) {
        let (mark, owner) = (OwnerMark(bytes: try row.bytes()), try row.optionalText().map(Owner.init(stored:)))
        let (version, at, actor) = (try row.integer(), try row.date(), try row.text())
        guard let action = OwnerEvent.Action(code: try row.letter()) else { throw .foreignRow }
        event = OwnerEvent(
            mark: mark, owner: owner, version: version, at: at, actor: actor, action: action,
            reason: try row.optionalText(), until: try row.optionalDate())
        hash = try row.bytes()
    }
}

extension Statement where Row == ChainedOwnerEvent {
    static func decode(_ row: inout RowReader) throws(PostgresError) -> ChainedOwnerEvent {
        try ChainedOwnerEvent(row: &row)
    }
}

/// The last event of an owner.
struct LookupLastOwnerEvent: Statement {
    let mark: OwnerMark

    static let sql = """
        SELECT \(ChainedOwnerEvent.columns) FROM owner_events AS e JOIN owners AS o ON o.owner = e.owner
        WHERE e.owner = $1 ORDER BY e.version DESC LIMIT 1
        """

    func bind(to parameters: inout Parameters) { parameters.add(bytes: mark.bytes) }

    typealias Row = ChainedOwnerEvent
}

/// Appends an event, and writes the end of the lock to the owner's row, which must be locked.
struct AppendOwnerEvent: Statement {
    let chained: ChainedOwnerEvent

    static let sql = """
        INSERT INTO owner_events (owner, version, at, actor, action, reason, until, hash)
        VALUES ($1, $2::bigint, $3, $4, $5, $6, $7, $8)
        """

    func bind(to parameters: inout Parameters) {
        let event = chained.event
        parameters.add(bytes: event.mark.bytes)
        parameters.add(event.version)
        parameters.add(event.at)
        parameters.add(event.actor)
        parameters.add(letter: event.action.code)
        parameters.add(event.reason)
        parameters.add(event.until)
        parameters.add(bytes: chained.hash)
    }

    typealias Row = NoRow
}

/// Writes the end of an owner's lock, after its last event.
struct PutLock: Statement {
    let event: OwnerEvent

    static let sql = "UPDATE owners SET lock_end = $2 WHERE owner = $1"

    func bind(to parameters: inout Parameters) {
        parameters.add(bytes: event.mark.bytes)
        parameters.add(event.lockEnd)
    }

    typealias Row = NoRow
}

/// The locks in force, in the order of the owners' marks.
struct LookupLocks: Statement {
    let after: [UInt8]

    static let pageSize = 1000
    static let sql = """
        SELECT \(ChainedOwnerEvent.columns) FROM owners AS o JOIN owner_events AS e ON e.owner = o.owner
        WHERE o.lock_end > now() AND o.owner > $1
            AND e.version = (SELECT max(l.version) FROM owner_events AS l WHERE l.owner = o.owner)
        ORDER BY o.owner LIMIT \(pageSize)
        """

    func bind(to parameters: inout Parameters) { parameters.add(bytes: after) }

    typealias Row = ChainedOwnerEvent
}

/// The events of all owners. Moderators make them, so they are few. The order is the same in each registry with these
/// owners, unless they are deleted.
struct AllOwnerEvents: Statement {
    static let sql = """
        SELECT \(ChainedOwnerEvent.columns) FROM owner_events AS e JOIN owners AS o ON o.owner = e.owner
        ORDER BY o.id, e.owner, e.version
        """

    typealias Row = ChainedOwnerEvent
}

/// Owners of which the events were changed, have gaps, or do not lead to the lock in the owner's row.
struct FindBrokenLocks: Statement {
    private static let hash = """
        sha256(coalesce(e.previous, '') || convert_to(json_build_array(
            encode(e.owner, 'hex'), e.version, (extract(epoch FROM e.at) * 1000000)::bigint, e.actor,
            \(OwnerEvent.Action.words(for: "e.action")), e.reason, (extract(epoch FROM e.until) * 1000000)::bigint
        )::text, 'UTF8'))
        """

    static let sql = """
        SELECT encode(o.owner, 'hex'), e.version FROM owners AS o LEFT JOIN (
            SELECT owner, version, at, actor, action, reason, until, hash, lag(hash) OVER w AS previous,
                lag(version) OVER w AS previous_version, lead(version) OVER w AS next_version
            FROM owner_events WINDOW w AS (PARTITION BY owner ORDER BY version)
        ) AS e ON e.owner = o.owner
        WHERE CASE
            WHEN e.version IS NULL THEN o.lock_end IS NOT NULL
            ELSE e.hash <> \(hash) OR e.version <> coalesce(e.previous_version, 0) + 1
                OR e.next_version IS NULL AND o.lock_end IS DISTINCT FROM
                    CASE WHEN e.action = 'l' THEN coalesce(e.until, '9999-12-31 23:59:59+00') END
        END
        ORDER BY o.owner, e.version
        """

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Discrepancy {
        Discrepancy(subject: try row.text(), version: try row.optionalInteger(), kind: .brokenLock)
    }
}
