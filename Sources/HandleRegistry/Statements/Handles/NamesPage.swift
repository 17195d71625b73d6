package import HandleRules
package import Postgres

/// The last handle of a page of records in any state; no row if fewer are left.
struct NamesPageEnd: Statement {
    let after: String
    /// Sorts after every handle of the range.
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

/// The records in use in a range that a filter lets through, in the order of the primary key. The filter's owner is
/// ignored.
struct NamesPage: Statement {
    let after: String
    let last: String
    let filter: NameFilter

    static let sql = """
        SELECT \(Record.columns) FROM handles
        WHERE handle > $1 AND handle <= $2 AND \(NameFilter.columns)
        ORDER BY handle
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(after)
        parameters.add(last)
        filter.bind(to: &parameters)
    }

    typealias Row = Record
}

/// The same for the handles of one owner, at most `size`.
struct OwnersNamesPage: Statement {
    let after: String
    let end: String
    let filter: NameFilter
    let owner: Owner
    let size: Int64

    /// Materialized, so that PostgreSQL uses the index on the owner. It would otherwise walk the primary key, over the
    /// handles of all owners, because of the order.
    static let sql = """
        WITH theirs AS MATERIALIZED (
            SELECT \(Record.storedColumns) FROM handles
            WHERE owner = $8 AND handle > $1 AND handle < $2 AND \(NameFilter.columns)
        )
        SELECT \(Record.columns) FROM theirs ORDER BY handle LIMIT $9
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(after)
        parameters.add(end)
        filter.bind(to: &parameters)
        parameters.add(owner.id)
        parameters.add(size)
    }

    typealias Row = Record
}

extension NameFilter {
    /// The condition of the filter, with the parameters $3 to $7.
    fileprivate static let columns = """
        state <> 'f' AND (until IS NULL OR until > now())
            AND (cardinality($3::text[]) = 0 OR state::text = ANY($3::text[]))
            AND ($4::text IS NULL OR (state = 'r' AND strpos(lower(reason), lower($4::text)) > 0))
            AND ($5::timestamptz IS NULL OR changed_at >= $5::timestamptz)
            AND ($6::timestamptz IS NULL OR changed_at < $6::timestamptz)
            AND handle >= $7
        """

    fileprivate func bind(to parameters: inout Parameters) {
        parameters.add(states.map(\.letter))
        parameters.add(reason)
        parameters.add(since)
        parameters.add(before)
        parameters.add(prefix)
    }
}

/// A page of records, in alphabetical order.
package struct RecordsPage: Statement {
    let after: PackedASCII
    /// True to include free and lapsed records.
    let withFree: Bool

    package init(after: PackedASCII, withFree: Bool) {
        self.after = after
        self.withFree = withFree
    }

    package static let size = 2000
    package static let sql = """
        SELECT \(Record.columns) FROM handles
        WHERE handle > $1 AND ($2 OR (state <> 'f' AND (until IS NULL OR until > now())))
        ORDER BY handle LIMIT \(size)
        """

    package func bind(to parameters: inout Parameters) {
        parameters.add(after)
        parameters.add(withFree)
    }

    package typealias Row = Record
}
