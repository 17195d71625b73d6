extension Pool {
    /// Runs one statement on any connection.
    ///
    /// If the connection breaks, or the server's to another node, the statement is sent once more, although it may have taken
    /// effect: every statement must be safe to repeat.
    /// - Throws: ``PostgresError``; `CancellationError`.
    package func run<S: Statement>(_ statement: S) async throws -> [S.Row] {
        let deadline = ContinuousClock.now + configuration.timeout
        do {
            return try await withConnection(until: deadline) { try await $0.run(statement, until: deadline) }
        } catch let error as PostgresError where error.isUnheard {
            await closeIdle(after: error)
            return try await withConnection(until: deadline) { try await $0.run(statement, until: deadline) }
        }
    }

    /// Runs statements that only read, or that may take effect one without the other, in a single round trip.
    ///
    /// Repeated like ``run(_:)`` when the connection breaks.
    package func run<each S: Statement>(pipeline statements: repeat each S) async throws -> (repeat [(each S).Row]) {
        let deadline = ContinuousClock.now + configuration.timeout
        do {
            return try await withConnection(until: deadline) {
                try await $0.run(pipeline: repeat each statements, until: deadline)
            }
        } catch let error as PostgresError where error.isUnheard {
            await closeIdle(after: error)
            return try await withConnection(until: deadline) {
                try await $0.run(pipeline: repeat each statements, until: deadline)
            }
        }
    }

    /// Runs `body`, which commits or rolls back the transaction that it is given.
    ///
    /// It is run again when the connection breaks, although the transaction may have been committed then, and when
    /// the server ended the transaction for another's sake (SQLSTATE 40001 and 40P01): `body` must be safe to repeat.
    /// - Parameters:
    ///   - more: statements to begin with, in the same round trip as the first of `body`.
    ///   - deadline: when it must have ended; nil for as late as any call may.
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
                        // The wire is idle, so the connection can be kept.
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

    /// The server has restarted when a connection to it was lost, so the idle ones are dead as well.
    private func closeIdle(after error: PostgresError) async {
        if error.code == .connectionLost { await closeIdle() }
    }

    /// A transaction that was in the way of others more often than this has bad luck, or a bug.
    private static let maxConflicts = 5
}
