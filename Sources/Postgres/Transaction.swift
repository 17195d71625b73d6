/// The statements around a transaction, for pipelines.
package struct Begin: Statement {
    package static let sql = "BEGIN"
    package init() {}
    package typealias Row = NoRow
}

package struct Commit: Statement {
    package static let sql = "COMMIT"
    package init() {}
    package typealias Row = NoRow
}

/// One transaction on a connection, in as few round trips as possible: BEGIN is sent with the first statements and
/// COMMIT with the last ones.
///
/// If an error leaves it neither committed nor rolled back, the connection stays in the transaction. The pool then
/// closes it, and the server rolls back.
package struct Transaction: ~Copyable {
    private let connection: Connection
    private let deadline: ContinuousClock.Instant
    private let first: [any Statement]
    private var isOpen = false
    private var deferred: [any Statement] = []

    /// - Parameter more: statements to send right after BEGIN.
    init(on connection: Connection, beginningWith more: [any Statement], until deadline: ContinuousClock.Instant) {
        (self.connection, self.deadline) = (connection, deadline)
        first = [Begin()] + more
    }

    /// The statements to send before others. Once the transaction has ended, the next statements begin a new one.
    private mutating func begin() -> [any Statement] {
        defer { isOpen = true }
        return isOpen ? [] : first
    }

    /// Runs statements in one round trip, and reads the rows of each.
    /// - Parameter first: statements to run before the others, without their rows.
    package mutating func run<each S: Statement>(
        after first: [any Statement] = [], _ statements: repeat each S
    ) async throws -> (repeat [(each S).Row]) {
        try await connection.run(before: begin() + first, pipeline: repeat each statements, until: deadline)
    }

    /// Sends rows to their table. A ``run(_:)`` must have begun the transaction.
    package mutating func copy(_ rows: CopyRows) async throws {
        precondition(isOpen, "rows that are copied before the transaction begins stay when it is rolled back")
        try await connection.copy(rows, until: deadline)
    }

    /// Defers a statement to the round trip of the commit.
    package mutating func runLast(_ statement: some Statement) { deferred.append(statement) }

    /// Runs the deferred statements and commits. Nothing is sent after the deadline: the caller may have been told
    /// already that the call has timed out.
    package mutating func commit() async throws {
        guard ContinuousClock.now < deadline else {
            throw PostgresError(.timedOut, "the time of the call was over before the commit")
        }
        _ = try await connection.run(before: begin() + deferred, pipeline: Commit(), until: deadline)
        (isOpen, deferred) = (false, [])
    }

    /// Forgets the deferred statements, and rolls back if anything was sent.
    package mutating func rollBack() async throws {
        let wasOpen = isOpen
        (isOpen, deferred) = (false, [])
        if wasOpen { try await connection.run(script: "ROLLBACK", until: deadline) }
    }
}
