import HandleCore
import Postgres

/// A name is given up: a claim goes into quarantine, a hold or a reservation is free at once.
struct GiveUp: Statement {
    let handle: Handle
    let quarantine: Duration
    let change: Int64

    static let sql = """
        UPDATE handles SET
            state = CASE WHEN \(isQuarantined) THEN 'quarantined' ELSE 'free' END,
            owner = CASE WHEN \(isQuarantined) THEN owner END,
            until = CASE WHEN \(isQuarantined) THEN now() + $2::interval END,
            hold = NULL, reason = NULL, version = version + 1, change = $3, changed_at = now()
        WHERE handle = $1 AND state IN ('held', 'claimed', 'reserved') AND coalesce(until > now(), true)
        RETURNING \(Record.columns)
        """

    private static let isQuarantined = "state = 'claimed' AND $2::interval > '0'"

    func bind(to parameters: inout Parameters) {
        parameters.add(handle.description)
        parameters.add(quarantine)
        parameters.add(change)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Record { try Record(row: &row) }
}
