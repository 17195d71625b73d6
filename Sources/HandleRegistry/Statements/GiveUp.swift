import HandleCore
import Postgres

// Statements that take a handle from its owner. Each changes only the version that was read before. No row is returned
// if the record has changed since.

/// Puts a claimed handle into quarantine for its former owner.
struct Quarantine: Statement {
    let handle: Handle
    let version: Int64
    let former: OwnerMark
    let duration: Duration
    let change: Int64

    static let sql = """
        UPDATE handles SET
            state = 'quarantined', owner = NULL, former = $3, until = now() + $4::interval,
            hold = NULL, reason = NULL, version = version + 1, change = $5, changed_at = greatest(changed_at, now())
        WHERE handle = $1 AND version = $2
        RETURNING \(Record.columns)
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(handle.description)
        parameters.add(version)
        parameters.add(bytes: former.bytes)
        parameters.add(duration)
        parameters.add(change)
    }

    typealias Row = Record
}

/// Frees a handle.
struct Free: Statement {
    let handle: Handle
    let version: Int64
    let change: Int64

    static let sql = """
        UPDATE handles SET
            state = 'free', owner = NULL, former = NULL, until = NULL, hold = NULL, reason = NULL,
            version = version + 1, change = $3, changed_at = greatest(changed_at, now())
        WHERE handle = $1 AND version = $2
        RETURNING \(Record.columns)
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(handle.description)
        parameters.add(version)
        parameters.add(change)
    }

    typealias Row = Record
}

/// Removes the owner of a reservation.
struct Orphan: Statement {
    let handle: Handle
    let version: Int64
    let change: Int64

    static let sql = """
        UPDATE handles SET
            owner = NULL, version = version + 1, change = $3, changed_at = greatest(changed_at, now())
        WHERE handle = $1 AND version = $2 AND state = 'reserved'
        RETURNING \(Record.columns)
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(handle.description)
        parameters.add(version)
        parameters.add(change)
    }

    typealias Row = Record
}

/// Rewrites a record unchanged, to force a synchronous commit before its state is reported.
struct Confirm: Statement {
    let handle: Handle
    let version: Int64

    static let sql = "UPDATE handles SET version = version WHERE handle = $1 AND version = $2 RETURNING version"

    func bind(to parameters: inout Parameters) {
        parameters.add(handle.description)
        parameters.add(version)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}

/// Lapsed records, in the order in which they lapsed.
struct LookupLapsed: Statement {
    let limit: Int64

    static let sql = """
        SELECT \(Record.columns), true FROM handles WHERE until <= now() ORDER BY until LIMIT $1
        """

    func bind(to parameters: inout Parameters) { parameters.add(limit) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Record {
        try Record(row: &row, readsLapse: true)
    }
}
