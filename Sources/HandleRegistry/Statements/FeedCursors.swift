import Postgres

/// The last event that a receiver has accepted; no row for a new receiver.
struct LookupCursor: Statement {
    let receiver: String

    static let sql = "SELECT seq FROM feed_cursors WHERE receiver = $1"

    func bind(to parameters: inout Parameters) { parameters.add(receiver) }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}

/// Takes the cursor of a receiver for a program that delivers to it, for some seconds; no row if there is none, or another
/// program has it. A program that moves the cursor must have it already: another one may have moved it meanwhile.
struct TakeCursor: Statement {
    let receiver: String
    let holder: String
    /// The last event that the receiver has accepted; nil to leave the cursor where it is.
    var seq: Int64?

    /// How long a program that has stopped keeps others from delivering.
    static let lease = "\(FeedCursor.lease.components.seconds) seconds"
    static let sql = """
        UPDATE feed_cursors SET seq = coalesce($3::bigint, seq), holder = $2, lease_end = now() + '\(lease)'::interval
        WHERE receiver = $1 AND (holder = $2 OR $3::bigint IS NULL AND lease_end <= now()) RETURNING seq
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(receiver)
        parameters.add(holder)
        parameters.add(seq)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}

/// Gives up a cursor, so that another program can deliver at once.
struct ReleaseCursor: Statement {
    let receiver: String
    let holder: String

    static let sql = "UPDATE feed_cursors SET lease_end = now() WHERE receiver = $1 AND holder = $2"

    func bind(to parameters: inout Parameters) {
        parameters.add(receiver)
        parameters.add(holder)
    }

    typealias Row = NoRow
}

/// Adds the cursor of a new receiver; no row if there is one already.
struct AddCursor: Statement {
    let receiver: String
    let holder: String
    let seq: Int64

    static let sql = """
        INSERT INTO feed_cursors (receiver, seq, holder, lease_end)
        VALUES ($1, $2, $3, now() + '\(TakeCursor.lease)'::interval) ON CONFLICT (receiver) DO NOTHING RETURNING seq
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(receiver)
        parameters.add(seq)
        parameters.add(holder)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}
