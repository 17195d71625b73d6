import HandleCore
import Postgres

/// The owner's spelling changes and nothing else does: this is no change of state.
struct PutDisplay: Statement {
    let display: DisplayHandle
    let change: Int64

    static let sql = """
        UPDATE handles SET
            display = $2,
            version = CASE WHEN display = $2 THEN version ELSE version + 1 END,
            change = CASE WHEN display = $2 THEN change ELSE $3 END,
            changed_at = CASE WHEN display = $2 THEN changed_at ELSE greatest(changed_at, now()) END
        WHERE handle = $1 AND state = 'claimed'
        RETURNING \(Record.columns)
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(display.handle.description)
        parameters.add(display.description)
        parameters.add(change)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Record { try Record(row: &row) }
}
