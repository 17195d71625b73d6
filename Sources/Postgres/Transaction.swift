/// The statements around a transaction, for pipelines.
package struct Begin: Statement {
    package static let sql = "BEGIN"
    package init() {}
    package func bind(to parameters: inout Parameters) {}
    package typealias Row = NoRow
}

package struct Commit: Statement {
    package static let sql = "COMMIT"
    package init() {}
    package func bind(to parameters: inout Parameters) {}
    package typealias Row = NoRow
}

package struct Rollback: Statement {
    package static let sql = "ROLLBACK"
    package init() {}
    package func bind(to parameters: inout Parameters) {}
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
    private var state: TransactionState

    init(on connection: Connection, beginningWith more: [any Statement], until deadline: ContinuousClock.Instant) {
        self.connection = connection
        self.deadline = deadline
        state = TransactionState(beginningWith: more)
    }

    /// Runs statements in one round trip, and reads the rows of each.
    package mutating func run<each S: Statement>(
        _ statements: repeat each S
    ) async throws -> (repeat [(each S).Row]) {
        try await connection.run(before: state.run(), pipeline: repeat each statements, until: deadline)
    }

    /// Sends rows to their table. A ``run(_:)`` must have begun the transaction.
    package mutating func copy(_ rows: CopyRows) async throws {
        precondition(state.isOpen, "rows that are copied before the transaction begins stay when it is rolled back")
        try await connection.copy(rows, until: deadline)
    }

    /// Defers a statement to the round trip of the commit.
    package mutating func runLast(_ statement: some Statement) { state.deferToCommit(statement) }

    /// Runs the deferred statements and commits. Nothing is sent after the deadline: the caller may have been told
    /// already that the call has timed out.
    package mutating func commit() async throws {
        guard ContinuousClock.now < deadline else {
            throw PostgresError(.timedOut, "the time of the call was over before the commit")
        }
        _ = try await connection.run(before: state.commit(), pipeline: Commit(), until: deadline)
        state.committed()
    }

    package mutating func rollBack() async throws {
        if state.rollBack() { _ = try await connection.run(pipeline: Rollback(), until: deadline) }
    }
}

extension Connection {
    /// Runs `body` in one transaction: committed when it returns, rolled back when it throws.
    ///
    /// If the rollback fails too, the connection stays inside the transaction, and the pool closes it.
    package func transaction<Result: Sendable>(
        until deadline: ContinuousClock.Instant, _ body: (Connection) async throws -> Result
    ) async throws -> Result {
        try await run(script: "BEGIN", until: deadline)
        do {
            let result = try await body(self)
            try await run(script: "COMMIT", until: deadline)
            return result
        } catch {
            if status == .inTransaction || status == .inFailedTransaction {
                try? await run(script: "ROLLBACK", until: deadline)
            }
            throw error
        }
    }
}
