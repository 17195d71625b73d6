import HandleCore
import Postgres

/// The owner's spelling changes and nothing else does: this is no change of state. No row comes back when the name has
/// that spelling already, or has changed since it was read.
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
