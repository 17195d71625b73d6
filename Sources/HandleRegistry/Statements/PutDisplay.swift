import HandleCore
import Postgres

/// Changes only the capitals, and not the state. No row is returned if the record has them already, or has changed
/// since it was read.
struct PutDisplay: Statement {
    let display: DisplayHandle
    let version: Int64
    let change: Int64

    static let sql = """
        UPDATE handles SET
            display = $2, version = version + 1, change = $4, changed_at = greatest(changed_at, now())
        WHERE handle = $1 AND version = $3 AND state = 'claimed' AND display <> $2
        RETURNING \(Record.columns)
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(display.handle.description)
        parameters.add(display.description)
        parameters.add(version)
        parameters.add(change)
    }

    typealias Row = Record
}
