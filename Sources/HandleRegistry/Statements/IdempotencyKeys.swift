import Postgres

import struct FoundationEssentials.Date

/// Takes an idempotency key for a request, or reads the stored answer.
struct TakeKey: Statement {
    let request: IdempotentRequest
    let change: Int64

    struct Row: Sendable {
        let fingerprint: [UInt8]
        let change: Int64
        let answer: Answer?
    }

    static let sql = """
        INSERT INTO idempotency_keys AS k (key, caller, fingerprint, status, headers, body, change, replays, taken_at, until)
        VALUES ($1, $2, $3, NULL, '{}', NULL, $4, 0, now(), now() + $5::interval)
        ON CONFLICT (key, caller) DO UPDATE SET
            fingerprint = CASE WHEN \(hasEnded) THEN EXCLUDED.fingerprint ELSE k.fingerprint END,
            status = CASE WHEN \(hasEnded) THEN NULL ELSE k.status END,
            change = CASE WHEN \(hasEnded) THEN EXCLUDED.change ELSE k.change END,
            taken_at = CASE WHEN \(hasEnded) THEN EXCLUDED.taken_at ELSE k.taken_at END,
            until = CASE WHEN \(hasEnded) THEN EXCLUDED.until ELSE k.until END,
            replays = k.replays + 1
        RETURNING fingerprint, change, status, headers, body
        """

    /// Compares with the database's time, which is passed through VALUES.
    private static let hasEnded = "k.until <= EXCLUDED.taken_at"

    func bind(to parameters: inout Parameters) {
        parameters.add(request.key)
        parameters.add(request.caller)
        parameters.add(bytes: request.fingerprint)
        parameters.add(change)
        parameters.add(IdempotentRequest.lifetime)
    }

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        let (fingerprint, change) = (try row.bytes(), try row.integer())
        let (status, headers, body) = (try row.optionalInteger(), try row.texts(), try row.optionalBytes())
        return Row(
            fingerprint: fingerprint, change: change,
            answer: status.map { Answer(status: Int($0), headers: headers, body: body ?? []) })
    }
}

/// Stores the answer to a request.
struct PutAnswer: Statement {
    let request: IdempotentRequest
    let answer: Answer

    static let sql = """
        UPDATE idempotency_keys SET status = $3, headers = $4::text[], body = $5 WHERE key = $1 AND caller = $2
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(request.key)
        parameters.add(request.caller)
        parameters.add(Int64(answer.status))
        parameters.add(answer.headers)
        parameters.add(bytes: answer.body)
    }

    typealias Row = NoRow
}

/// The latest end among the oldest answers past their lifetime; nil if there are none.
struct FindOldKeys: Statement {
    static let most = 5_000
    static let sql = """
        SELECT max(until) FROM (
            SELECT until FROM idempotency_keys WHERE until <= now() ORDER BY until LIMIT $1
        ) AS old
        """
    func bind(to parameters: inout Parameters) { parameters.add(Int64(Self.most)) }
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Date? { try row.optionalDate() }
}

/// Deletes answers with an end up to `end`.
struct DeleteOldKeys: Statement {
    let end: Date
    static let sql = "DELETE FROM idempotency_keys WHERE until <= $1 AND until <= now()"
    func bind(to parameters: inout Parameters) { parameters.add(end) }
    typealias Row = NoRow
}
