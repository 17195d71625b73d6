import HandleRules
import HandleWords
import Postgres

/// The ids of owners. A deleted owner has none.
struct LookupAccounts: Statement {
    let marks: [OwnerMark]

    struct Row: Sendable {
        let mark: OwnerMark
        let owner: Owner?
    }

    static let sql = "SELECT owner, id FROM owners WHERE owner = ANY($1::bytea[])"

    func bind(to parameters: inout Parameters) { parameters.add(marks.map(\.bytes)) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        Row(
            mark: OwnerMark(bytes: try row.bytes()), owner: try row.optionalText().map(Owner.init(stored:)))
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

/// Notes handles in quarantine for an owner.
struct RestoreQuarantined: Statement {
    let mark: OwnerMark
    let kept: [Account.Kept]

    static let sql = """
        UPDATE owners SET quarantined = quarantined || $2::text[], quarantine_ends = quarantine_ends || $3::timestamptz[]
        WHERE owner = $1
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(bytes: mark.bytes)
        parameters.add(kept.map(\.handle.letters))
        parameters.add(kept.map { $0.end })
    }

    typealias Row = NoRow
}
