import HandleRules
import HandleWords
import Postgres

/// The events of handles, each oldest first.
struct EventsOfMany: Statement {
    let handles: [Handle]

    static let sql = """
        SELECT \(Event.columns) FROM handle_events WHERE handle = ANY($1::text[]) ORDER BY handle, version
        """

    func bind(to parameters: inout Parameters) { parameters.add(handles.map(\.letters)) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Event { try Event(row: &row) }
}

/// The ids and the quarantined handles of owners. A deleted owner has no id.
struct LookupAccounts: Statement {
    let marks: [OwnerMark]

    struct Row: Sendable {
        let mark: OwnerMark
        let owner: Owner?
        let quarantined: [String]
    }

    static let sql = "SELECT owner, id, quarantined FROM owners WHERE owner = ANY($1::bytea[])"

    func bind(to parameters: inout Parameters) { parameters.add(marks.map(\.bytes)) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        Row(
            mark: OwnerMark(bytes: try row.bytes()), owner: try row.optionalText().map(Owner.init(stored:)),
            quarantined: try row.texts())
    }
}

/// Inserts a change of a word with its original time. No row is returned if the word has a change already.
struct RestoreWord: Statement {
    let change: WordChange

    static let sql = """
        INSERT INTO reserved_words (word, category, kind, source, comment, actor, until, changed_at, version)
        VALUES ($1, $2, $3, $4, $5, $6, $7::timestamptz, $8::timestamptz, 1)
        ON CONFLICT (word) DO NOTHING RETURNING version
        """

    func bind(to parameters: inout Parameters) {
        PutWord(change: change).bind(to: &parameters)
        parameters.add(change.changedAt)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}

/// Notes handles in quarantine for an owner, oldest first, before those noted already.
struct RestoreQuarantined: Statement {
    let mark: OwnerMark
    let handles: [Handle]

    static let sql = """
        UPDATE owners SET quarantined = $2::text[] || ARRAY(
            SELECT q.name FROM unnest(quarantined) WITH ORDINALITY AS q (name, place)
            WHERE q.name <> ALL($2::text[]) ORDER BY q.place
        ) WHERE owner = $1 AND NOT quarantined @> $2::text[]
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(bytes: mark.bytes)
        parameters.add(handles.map(\.letters))
    }

    typealias Row = NoRow
}
