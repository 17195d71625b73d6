import HandleRules
import HandleWords
package import Postgres

import struct FoundationEssentials.Date

/// Appends the event of a record's new version, in the transaction that makes the version. It fails its transaction if
/// the version has an event already (``PostgresError/isOfChangedName``).
struct AppendEvent: Statement {
    let event: ChainedEvent

    static let columns = "\(Event.columns), hash"
    static let sql = """
        INSERT INTO handle_events (\(columns))
        VALUES ($1, $2, $3::bigint, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
        """

    func bind(to parameters: inout Parameters) {
        let event = event.event
        parameters.add(event.handle.letters)
        parameters.add(event.display.storedLetters)
        parameters.add(event.version)
        parameters.add(event.at)
        parameters.add(event.actor)
        parameters.add(letter: event.action.code)
        parameters.add(letter: event.from.code)
        parameters.add(letter: event.to.code)
        parameters.add(bytes: event.owner?.bytes)
        parameters.add(event.reason)
        parameters.add(event.related)
        parameters.add(event.until)
        parameters.add(bytes: self.event.hash)
    }

    typealias Row = NoRow
}

/// ``AppendEvent`` for many events, in alphabetical order.
struct AppendEvents: Statement {
    let events: [ChainedEvent]

    static let sql = """
        INSERT INTO handle_events (\(AppendEvent.columns))
        SELECT u.handle, u.display, u.version, u.at, u.actor, u.action::"char", u.from_state::"char",
            u.to_state::"char", u.owner, u.reason, u.related, u.until, u.hash
        FROM unnest($1::text[], $2::text[], $3::bigint[], $4::timestamptz[], $5::text[], $6::text[], $7::text[],
            $8::text[], $9::bytea[], $10::text[], $11::text[], $12::timestamptz[], $13::bytea[])
            AS u (\(AppendEvent.columns))
        """

    func bind(to parameters: inout Parameters) {
        let plain = events.map(\.event)
        parameters.add(plain.map(\.handle.letters))
        parameters.add(plain.map(\.display.storedLetters?.description))
        parameters.add(plain.map(\.version))
        parameters.add(plain.map(\.at))
        parameters.add(plain.map(\.actor))
        parameters.add(plain.map(\.action.letter))
        parameters.add(plain.map(\.from.letter))
        parameters.add(plain.map(\.to.letter))
        parameters.add(plain.map(\.owner?.bytes))
        parameters.add(plain.map(\.reason))
        parameters.add(plain.map(\.related))
        parameters.add(plain.map(\.until))
        parameters.add(events.map(\.hash))
    }

    typealias Row = NoRow
}

/// The version and the change number of a record.
struct LookupVersion: Statement {
    let handle: Handle

    static let sql = "SELECT version, change FROM names WHERE key = $1 AND handle = $2"

    func bind(to parameters: inout Parameters) {
        parameters.add(LookalikeKey(handle).letters)
        parameters.add(handle.letters)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> (version: Int64, change: Int64) {
        (try row.integer(), try row.integer())
    }
}

extension Transaction {
    /// The current version of a record, if the version `made` was committed, even if later versions followed; nil
    /// otherwise.
    ///
    /// The current version is recognised by its change number, an earlier one by its event: no other transaction made that
    /// version at the very moment when ours began, with the same state and owner.
    mutating func version(withMade made: Record, _ scope: Scope) async throws -> Int64? {
        let (versions, events) = try await run(
            LookupVersion(handle: made.handle), LookupEvents(handle: made.handle))
        guard let (version, change) = versions.first else { return nil }
        if version <= made.version { return version == made.version && change == made.change ? version : nil }
        guard let event = events.first(where: { $0.version == made.version }) else { return nil }
        let owner = made.owner.map { scope.mark(of: $0) } ?? made.former
        let isSame = event.to == made.state && event.display == made.display && event.owner == owner
        return isSame && event.at.isSameMoment(as: made.changedAt) ? version : nil
    }
}

extension Event {
    /// The columns of an event, in the order in which ``init(row:)`` reads them.
    package static let columns = """
        handle, display, version, at, actor, action, from_state, to_state, owner, reason, related, until
        """

    package init(row: inout RowReader) throws(PostgresError) {
        let display = try row.displayHandle()
        let (version, at, actor) = (try row.integer(), try row.date(), try row.text())
        let action = Event.Action(code: try row.letter())
        let (from, to) = (try row.state(), try row.state())
        guard let display, let action else { throw .foreignRow }
        self.init(
            version: version, at: at, actor: actor, action: action, from: from, to: to, display: display,
            owner: try row.optionalBytes().map(OwnerMark.init), reason: try row.optionalText(),
            related: try row.optionalText(), until: try row.optionalDate())
    }
}

/// The events of a handle, oldest first.
struct LookupEvents: Statement {
    let handle: Handle

    static let sql = "SELECT \(Event.columns) FROM handle_events WHERE handle = $1 ORDER BY version"

    func bind(to parameters: inout Parameters) { parameters.add(handle.description) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Event { try Event(row: &row) }
}

/// The events of handles, each oldest first.
struct EventsOfMany: Statement {
    let handles: [Handle]

    static let sql = """
        SELECT \(Event.columns) FROM handle_events WHERE handle = ANY($1::text[]) ORDER BY handle, version
        """

    func bind(to parameters: inout Parameters) { parameters.add(handles.map(\.letters)) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Event { try Event(row: &row) }
}

/// The end of an owner's last hold of a handle, if it began at `beginning` or later. A hold ends at its time, or earlier
/// with the next event of the handle.
struct LastHold: Statement {
    let handle: Handle
    let mark: OwnerMark
    let beginning: Date

    static let sql = """
        SELECT least(e.until, (SELECT n.at FROM handle_events AS n WHERE n.handle = $1 AND n.version = e.version + 1))
        FROM handle_events AS e
        WHERE e.handle = $1 AND e.owner = $2::bytea AND e.to_state = 'h' AND e.version > coalesce(
            (SELECT max(b.version) FROM handle_events AS b WHERE b.handle = $1 AND b.at < $3::timestamptz), 0)
        ORDER BY e.version DESC LIMIT 1
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(handle.letters)
        parameters.add(bytes: mark.bytes)
        parameters.add(beginning)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Date { try row.date() }
}

/// The id of an owner; no row if it was deleted.
struct LookupOwnerID: Statement {
    let mark: OwnerMark

    static let sql = "SELECT id FROM owners WHERE owner = $1 AND id IS NOT NULL"

    func bind(to parameters: inout Parameters) { parameters.add(bytes: mark.bytes) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Owner { Owner(stored: try row.text()) }
}

extension CopyRows {
    /// Rows of `handle_events`.
    static func events(reservingCapacity capacity: Int = 0) -> CopyRows {
        CopyRows(
            table: "handle_events",
            columns: [
                "handle", "display", "version", "at", "actor", "action", "from_state", "to_state", "owner", "reason",
                "related", "until", "hash",
            ], reservingCapacity: capacity)
    }

    mutating func add(_ chained: ChainedEvent) {
        let event = chained.event
        addRow { row in
            row.add(event.handle.letters)
            row.add(event.display.storedLetters)
            row.add(version: event.version)
            row.add(event.at)
            row.add(event.actor)
            row.add(letter: event.action.code)
            row.add(letter: event.from.code)
            row.add(letter: event.to.code)
            row.add(bytes: event.owner?.bytes)
            row.add(event.reason)
            row.add(event.related)
            row.add(event.until)
            row.add(bytes: chained.hash)
        }
    }
}
