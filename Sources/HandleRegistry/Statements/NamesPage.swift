import HandleCore
import Postgres

/// The last of so many names that follow one, whatever their state; none when there are fewer.
struct NamesPageEnd: Statement {
    let after: String
    /// Behind every name that is asked for.
    let end: String
    let size: Int64

    static let sql = """
        SELECT max(p.handle) FROM (
            SELECT handle FROM handles WHERE handle > $1 AND handle < $2 ORDER BY handle LIMIT $3
        ) AS p HAVING count(*) = $3
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(after)
        parameters.add(end)
        parameters.add(size)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.text() }
}

/// The names in use within a range that a filter lets through, but for its owner, in the order of the primary key.
struct NamesPage: Statement {
    let after: String
    let last: String
    let filter: NameFilter

    static let sql = """
        SELECT \(Record.columns), false FROM handles
        WHERE handle > $1 AND handle <= $2 AND \(NameFilter.columns)
        ORDER BY handle
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(after)
        parameters.add(last)
        filter.bind(to: &parameters)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Record {
        try Record(row: &row, readsLapse: true)
    }
}

/// The same of one owner's names: at most so many of those within a range.
struct OwnersNamesPage: Statement {
    let after: String
    let end: String
    let filter: NameFilter
    let owner: Owner
    let size: Int64

    /// Materialized, so that the owner's index finds the names, and not the primary key, which brings everybody's in
    /// their order.
    static let sql = """
        WITH theirs AS MATERIALIZED (
            SELECT handle, \(Record.columns) FROM handles
            WHERE owner = $8 AND handle > $1 AND handle < $2 AND \(NameFilter.columns)
        )
        SELECT \(Record.columns), false FROM theirs ORDER BY handle LIMIT $9
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(after)
        parameters.add(end)
        filter.bind(to: &parameters)
        parameters.add(owner.id)
        parameters.add(size)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Record {
        try Record(row: &row, readsLapse: true)
    }
}

extension NameFilter {
    /// What the filter says of a row; its parameters are $3 to $7.
    fileprivate static let columns = """
        state <> 'free' AND (until IS NULL OR until > now())
            AND (cardinality($3::text[]) = 0 OR state = ANY($3::text[]))
            AND ($4::text IS NULL OR (state = 'reserved' AND strpos(lower(reason), lower($4::text)) > 0))
            AND ($5::timestamptz IS NULL OR changed_at >= $5::timestamptz)
            AND ($6::timestamptz IS NULL OR changed_at < $6::timestamptz)
            AND handle >= $7
        """

    fileprivate func bind(to parameters: inout Parameters) {
        parameters.add(states.map(\.rawValue))
        parameters.add(reason)
        parameters.add(since)
        parameters.add(before)
        parameters.add(prefix)
    }
}
