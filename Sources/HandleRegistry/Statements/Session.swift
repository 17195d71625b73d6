import Postgres

import struct FoundationEssentials.Date

// Settings of one transaction, and its time.

/// Limits the wait for row locks.
struct LockTimeout: Statement {
    /// As in the settings of PostgreSQL; nil for the timeout of a statement.
    private let limit: String?

    static let shortLimit = "250ms"
    static let short = LockTimeout(limit: shortLimit)
    static let likeStatements = LockTimeout(limit: nil)

    static let sql = """
        SELECT set_config('lock_timeout', coalesce($1::text, current_setting('statement_timeout')), true)
        """

    func bind(to parameters: inout Parameters) { parameters.add(limit) }

    typealias Row = NoRow
}

/// Raises the timeouts of statements, row locks and idle transactions, for transactions on many rows.
struct LongStatements: Statement {
    /// Timeout of a statement in a bulk transaction.
    static let longest = Duration.seconds(60)
    static let sql = """
        SELECT set_config(t.name, '60s', true)
        FROM (VALUES ('statement_timeout'), ('lock_timeout'), ('idle_in_transaction_session_timeout')) AS t (name)
        """

    typealias Row = NoRow
}

/// The start of the transaction.
struct TransactionTime: Statement {
    static let sql = "SELECT now()"

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Date { try row.date() }
}
