extension Pool {
    /// Runs one statement on any connection.
    ///
    /// If the connection breaks, or the server's connection to another node, the statement is sent once more, although
    /// it may have taken effect. So every statement must be safe to repeat.
    /// - Throws: ``PostgresError``; `CancellationError`.
    package func run<S: Statement>(_ statement: S) async throws -> [S.Row] {
        try await runTwice { try await $0.run(statement, until: $1) }
    }

    /// Runs statements in a single round trip. They only read, or each may take effect without the others.
    ///
    /// Repeated like ``run(_:)`` when the connection breaks.
    package func run<each S: Statement>(pipeline statements: repeat each S) async throws -> (repeat [(each S).Row]) {
        try await runTwice { try await $0.run(pipeline: repeat each statements, until: $1) }
    }

    private func runTwice<Result: Sendable>(
        _ body: (Connection, _ deadline: ContinuousClock.Instant) async throws -> Result
    ) async throws -> Result {
        let deadline = ContinuousClock.now + configuration.timeout
        do {
            return try await withConnection(until: deadline) { try await body($0, deadline) }
        } catch let error as PostgresError where error.isUnheard {
            await closeIdle(after: error)
            return try await withConnection(until: deadline) { try await body($0, deadline) }
        }
    }

    /// Runs `body`, which commits or rolls back the transaction that it gets.
    ///
    /// `body` runs again when the connection breaks, although the transaction may have been committed, and when the
    /// server aborts the transaction because of a conflict (SQLSTATE 40001 and 40P01). So it must be safe to repeat.
    /// - Parameters:
    ///   - more: statements to begin with, in the same round trip as the first of `body`.
    ///   - deadline: the deadline of the transaction; nil for the pool's timeout.
    package func transaction<Result: Sendable>(
        beginningWith more: [any Statement] = [], until deadline: ContinuousClock.Instant? = nil,
        _ body: (_ transaction: inout Transaction) async throws -> Result
    ) async throws -> Result {
        let deadline = deadline ?? .now + configuration.timeout
        var conflicts = 0
        var hasBroken = false
        while true {
            do {
                return try await withConnection(until: deadline) { connection in
                    var transaction = Transaction(on: connection, beginningWith: more, until: deadline)
                    do {
                        return try await body(&transaction)
                    } catch let error as PostgresError where error.code == .refused || error.code == .nodeLost {
                        // The connection is idle, so it can be kept.
                        try await transaction.rollBack()
                        throw error
                    }
                }
            } catch let error as PostgresError where error.isConflict && conflicts < Self.maxConflicts {
                conflicts += 1
            } catch let error as PostgresError where error.isUnheard && !hasBroken {
                hasBroken = true
                await closeIdle(after: error)
            }
        }
    }

    /// A lost connection means that the server has restarted, so the idle connections are dead as well.
    private func closeIdle(after error: PostgresError) async {
        if error.code == .connectionLost { await closeIdle() }
    }

    /// The maximum number of retries after conflicts. More conflicts are bad luck or a bug.
    private static let maxConflicts = 5
}
