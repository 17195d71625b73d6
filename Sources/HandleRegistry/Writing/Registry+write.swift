import HandleRules
import Postgres

extension Registry {
    /// Performs a change.
    /// - Parameter dryRun: finds the outcome that the change would have, and changes nothing; nil to make the change.
    /// - Throws: `PostgresError`. It is then unknown whether the change was made; repeating is safe.
    package func perform<C: Change>(_ change: C, in dryRun: DryRun? = nil) async throws -> C.Outcome {
        if let outcome = change.outcomeAtOnce(words) { return outcome }
        if let dryRun { return try await dryRun.perform([change])[0] }
        return try await change.performed(by: self)
    }

    /// Performs a change, and stores its answer for repeats of the request.
    ///
    /// The answer is stored in the commit of the change. A replay is a write of its own, so that it waits for a
    /// synchronous commit and never reports a change that a failover could lose.
    package func perform<C: Change>(
        _ change: C, once request: IdempotentRequest, answer: @escaping @Sendable (C.Outcome) -> Answer
    ) async throws -> Reply {
        if let outcome = change.outcomeAtOnce(words) { return .answer(answer(outcome)) }
        var writer = try await Writer([change], once: .init(request: request, answer: answer), writes, pool)
        let outcomes = try await writer.run(
            waitingShortly: false, isLong: false, until: .now + pool.configuration.timeout)
        if let reply = writer.reply { return reply }
        // Nothing was written, so only the answer has to be stored. That is a commit too, which confirms what was read.
        return try await keep(answer(outcomes[0]), of: request, change.number)
    }

    /// Performs work that takes several transactions and is safe to repeat, and stores its answer for repeats of the
    /// request. Concurrent repeats do the work too.
    /// - Parameter work: does the work and returns the answer.
    package func perform(
        once request: IdempotentRequest, _ work: () async throws -> Answer
    ) async throws -> Reply {
        let number = newChange()
        // The content may contain the id of the forgotten owner.
        let request = request.salted(try await writes.scope().salt)
        let known = try await pool.transaction { transaction in
            let reply = try await request.begin(number, &transaction)
            // The key is taken together with the answer. If this process ends before that, the request can be repeated.
            if reply == nil { try await transaction.rollBack() }
            return reply
        }
        if let known { return known }
        return try await keep(try await work(), of: request, number)
    }

    private func keep(_ answer: Answer, of request: IdempotentRequest, _ number: Int64) async throws -> Reply {
        try await pool.transaction { transaction in
            if let reply = try await request.begin(number, &transaction) { return reply }
            return try await request.finish(answer, &transaction)
        }
    }
}
