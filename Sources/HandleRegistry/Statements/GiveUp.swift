import HandleCore
import Postgres

// The statements by which a name leaves somebody. Each changes exactly the version that was read before: no row comes
// back when the name has changed since.

/// A claim goes into quarantine, where it is kept for its former owner.
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

/// A name goes free.
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

/// A reservation stays, but for nobody in particular.
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

/// Writes a row as it is, so that what is said of it waits for what every commit waits for.
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

/// Names whose time has passed, those that have waited longest first.
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
