import HandleRules
import HandleWords
import Postgres

/// A page of all handles in alphabetical order, by the first events of their histories.
struct HandlesPage: Statement {
    let after: String
    /// Sorts after every handle of the range.
    let end: String
    let size: Int

    static let sql = """
        SELECT handle FROM handle_events WHERE handle > $1 AND handle < $2 AND version = 1 ORDER BY handle LIMIT $3
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(after)
        parameters.add(end)
        parameters.add(Int64(size))
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Handle {
        guard let handle = try row.packedASCII().flatMap({ Handle($0) }) else { throw .foreignRow }
        return handle
    }
}

/// The records of a ``HandlesPage`` that are in use and that a filter lets through, in alphabetical order. The filter's
/// owner is ignored.
struct NamesPage: Statement {
    let handles: [Handle]
    let filter: NameFilter

    /// The key of a handle has look-alikes too, which are not in the range.
    static let sql = """
        SELECT \(Record.columns) FROM names
        WHERE key = ANY($10::text[]) AND handle >= $1 AND handle <= $2 AND \(NameFilter.columns)
        ORDER BY handle
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(handles.first?.letters ?? PackedASCII())
        parameters.add(handles.last?.letters ?? PackedASCII())
        filter.bind(to: &parameters)
        parameters.add(keysOf: handles)
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
            SELECT \(Record.storedColumns) FROM names
            WHERE owner = $10 AND handle > $1 AND handle < $2 AND \(NameFilter.columns)
        )
        SELECT \(Record.columns) FROM theirs ORDER BY handle LIMIT $11
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
    /// The condition of the filter, with the parameters $3 to $9.
    fileprivate static let columns = """
        state <> 'f' AND (until IS NULL OR until > now())
            AND (cardinality($3::text[]) = 0 OR state::text = ANY($3::text[]))
            AND ($4::text IS NULL OR (state = 'r' AND strpos(lower(reason), lower($4::text)) > 0))
            AND ($5::timestamptz IS NULL OR changed_at >= $5::timestamptz)
            AND ($6::timestamptz IS NULL OR changed_at < $6::timestamptz)
            AND ($7::timestamptz IS NULL OR until > $7::timestamptz)
            AND ($8::timestamptz IS NULL OR until <= $8::timestamptz)
            AND handle >= $9
        """

    fileprivate func bind(to parameters: inout Parameters) {
        parameters.add(states.map(\.letter))
        parameters.add(reason)
        parameters.add(since)
        parameters.add(before)
        parameters.add(endsSince)
        parameters.add(endsBefore)
        parameters.add(prefix)
    }
}
