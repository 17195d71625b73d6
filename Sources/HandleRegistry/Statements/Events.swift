import HandleCore
import Postgres

/// Appends the event of a record's current version, in the transaction that made the version.
///
/// Nothing is appended, and no row is returned, if the current version has another change number or an event already.
/// The statement before this one has then changed nothing.
struct AppendEvent: Statement {
    let handle: Handle
    let change: Int64
    let action: Event.Action
    let cause: Cause
    /// The mark of the owner after the change; in quarantine, of the former owner.
    let owner: OwnerMark?
    var related: String?

    static let sql = """
        INSERT INTO handle_events
            (handle, version, at, actor, action, from_state, to_state, display, owner, reason, related, until, hash)
        SELECT e.handle, e.version, e.at, e.actor, e.action, e.from_state, e.to_state, e.display, e.owner, e.reason,
            e.related, e.until, \(hash)
        FROM (
            SELECT h.handle, h.version, h.changed_at AS at, $3::text AS actor, $4::text AS action,
                coalesce(p.to_state, 'free') AS from_state, h.state AS to_state, h.display, $5::bytea AS owner,
                coalesce($6::text, h.reason) AS reason, $7::text AS related, h.until, p.hash AS previous
            FROM handles AS h LEFT JOIN handle_events AS p ON p.handle = h.handle AND p.version = h.version - 1
            WHERE h.handle = $1 AND h.change = $2
        ) AS e
        ON CONFLICT (handle, version) DO NOTHING
        RETURNING version
        """

    /// The hash that chains an event `e` to the previous event, with the hash `e.previous`.
    static let hash = """
        sha256(coalesce(e.previous, '') || convert_to(json_build_array(
            e.handle, e.version, (extract(epoch FROM e.at) * 1000000)::bigint, e.actor, e.action, e.from_state,
            e.to_state, e.display, encode(e.owner, 'hex'), e.reason, e.related,
            (extract(epoch FROM e.until) * 1000000)::bigint
        )::text, 'UTF8'))
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(handle.description)
        parameters.add(change)
        parameters.add(cause.actor)
        parameters.add(action.rawValue)
        parameters.add(bytes: owner?.bytes)
        parameters.add(cause.reason)
        parameters.add(related)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}

/// The current version of a record, if the version `made` was committed or made by this transaction, even if later
/// versions followed; no row otherwise.
///
/// The current version is recognised by its change number, an earlier one by its event: no other transaction made that
/// version at the very moment when ours began, with the same state and owner.
struct FindMade: Statement {
    let made: Record
    let owner: OwnerMark?

    init(_ made: Record, _ scope: Scope) {
        self.made = made
        owner = made.owner.map { scope.mark(of: $0) } ?? made.former
    }

    static let sql = """
        SELECT h.version FROM handles AS h JOIN handle_events AS e ON e.handle = h.handle AND e.version = $2
        WHERE h.handle = $1 AND (
            h.version = $2 AND h.change = $3
            OR h.version > $2 AND e.to_state = $4 AND e.display = $5 AND e.owner IS NOT DISTINCT FROM $6::bytea
                AND abs(extract(epoch FROM e.at - $7::timestamptz)) < 0.000002
        )
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(made.handle.description)
        parameters.add(made.version)
        parameters.add(made.change)
        parameters.add(made.state.rawValue)
        parameters.add(made.display.description)
        parameters.add(bytes: owner?.bytes)
        parameters.add(made.changedAt)
    }

    /// - Returns: the current version.
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}

/// The events of a handle, oldest first.
struct LookupEvents: Statement {
    let handle: Handle

    static let sql = """
        SELECT version, at, actor, action, from_state, to_state, display, owner, reason, related, until
        FROM handle_events WHERE handle = $1 ORDER BY version
        """

    func bind(to parameters: inout Parameters) { parameters.add(handle.description) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Event {
        let (version, at, actor) = (try row.integer(), try row.date(), try row.text())
        let (action, from, to) = (try row.text(), try row.text(), try row.text())
        guard let action = Event.Action(rawValue: action), let from = State(rawValue: from),
            let to = State(rawValue: to), let display = DisplayHandle(try row.text())
        else {
            throw PostgresError(.unreadable, "the table of events has a row that no version of this program wrote")
        }
        return Event(
            version: version, at: at, actor: actor, action: action, from: from, to: to, display: display,
            owner: try row.optionalBytes().map(OwnerMark.init), ownerID: nil, reason: try row.optionalText(),
            related: try row.optionalText(), until: try row.optionalDate())
    }
}

/// The id of an owner; no row if it was deleted.
struct LookupOwnerID: Statement {
    let mark: OwnerMark

    static let sql = "SELECT id FROM owners WHERE owner = $1 AND id IS NOT NULL"

    func bind(to parameters: inout Parameters) { parameters.add(bytes: mark.bytes) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Owner? { Owner(try row.text()) }
}
