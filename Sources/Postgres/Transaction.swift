extension Connection {
    /// Runs `body` in one transaction: committed when it returns, rolled back when it throws.
    ///
    /// If rolling back fails too, the connection is left inside the transaction, and the pool closes it.
    public func transaction<Result: Sendable>(
        until deadline: ContinuousClock.Instant, _ body: (Connection) async throws -> Result
    ) async throws -> Result {
        try await run(script: "BEGIN", until: deadline)
        do {
            let result = try await body(self)
            try await run(script: "COMMIT", until: deadline)
            return result
        } catch {
            if isInTransaction { try? await run(script: "ROLLBACK", until: deadline) }
            throw error
        }
    }
}
