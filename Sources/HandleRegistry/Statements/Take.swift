import HandleCore
import Postgres

// Statements that give a handle to an owner. Each is one INSERT that is decided by the conflict on the primary key: no
// row is returned if the handle is another owner's. A repeat changes nothing and returns the record as it is.
//
// Time is passed through VALUES and compared as EXCLUDED.changed_at. So one clock, the database's, decides when a hold
// has ended, and the statements also run on a distributed PostgreSQL.

/// Claims a handle.
struct TakeClaim: Statement {
    let display: DisplayHandle
    let owner: Owner
    let mark: OwnerMark
    let hold: String?
    let change: Int64
    /// The version of a reservation that an admin gives to the owner, if any.
    var reservation: Int64?

    static let sql = """
        INSERT INTO handles AS h
            (handle, display, state, owner, hold, reason, version, change, until, changed_at)
        VALUES ($1, $2, 'claimed', $3, NULL, NULL, 1, $4, NULL, now())
        \(whatChanges)
        WHERE h.state = 'free' OR h.until <= EXCLUDED.changed_at
            OR h.owner = EXCLUDED.owner OR h.former = $6 OR (h.state = 'held' AND h.hold = $5)
            OR (h.state = 'reserved' AND h.version = $7)
        RETURNING \(Record.columns)
        """

    /// The update of an existing row. A row that is claimed already stays unchanged.
    static let whatChanges = """
        ON CONFLICT (handle) DO UPDATE SET
            display = CASE WHEN h.state = 'claimed' THEN h.display ELSE EXCLUDED.display END,
            state = 'claimed', owner = EXCLUDED.owner, former = NULL, hold = NULL, reason = NULL, until = NULL,
            version = CASE WHEN h.state = 'claimed' THEN h.version ELSE h.version + 1 END,
            change = CASE WHEN h.state = 'claimed' THEN h.change ELSE EXCLUDED.change END,
            changed_at = CASE
                WHEN h.state = 'claimed' THEN h.changed_at ELSE greatest(h.changed_at, EXCLUDED.changed_at) END
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(display.handle.description)
        parameters.add(display.description)
        parameters.add(owner.id)
        parameters.add(change)
        parameters.add(hold)
        parameters.add(bytes: mark.bytes)
        parameters.add(reservation)
    }

    typealias Row = Record
}

/// Holds a handle. Repeating it does not move the end of the hold.
struct TakeHold: Statement {
    let display: DisplayHandle
    let owner: Owner
    let token: String
    let duration: Duration
    let change: Int64

    static let sql = """
        INSERT INTO handles AS h
            (handle, display, state, owner, hold, reason, version, change, until, changed_at)
        VALUES ($1, $2, 'held', $3, $4, NULL, 1, $5, now() + $6::interval, now())
        ON CONFLICT (handle) DO UPDATE SET
            display = CASE WHEN \(isRepeat) THEN h.display ELSE EXCLUDED.display END,
            state = 'held', owner = EXCLUDED.owner, former = NULL, reason = NULL,
            hold = CASE WHEN \(isRepeat) THEN h.hold ELSE EXCLUDED.hold END,
            until = CASE WHEN \(isRepeat) THEN h.until ELSE EXCLUDED.until END,
            version = CASE WHEN \(isRepeat) THEN h.version ELSE h.version + 1 END,
            change = CASE WHEN \(isRepeat) THEN h.change ELSE EXCLUDED.change END,
            changed_at = CASE WHEN \(isRepeat) THEN h.changed_at ELSE greatest(h.changed_at, EXCLUDED.changed_at) END
        WHERE h.state = 'free' OR h.until <= EXCLUDED.changed_at
            OR (h.state = 'held' AND h.owner = EXCLUDED.owner)
        RETURNING \(Record.columns)
        """

    private static let isRepeat = "h.state = 'held' AND h.until > EXCLUDED.changed_at"

    func bind(to parameters: inout Parameters) {
        parameters.add(display.handle.description)
        parameters.add(display.description)
        parameters.add(owner.id)
        parameters.add(token)
        parameters.add(change)
        parameters.add(duration)
    }

    typealias Row = Record
}
