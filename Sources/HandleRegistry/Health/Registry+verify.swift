import Postgres

extension Registry {
    /// Checks that the events of each handle form an unbroken chain, that they lead to the current records, and that
    /// the owners' accounts and the protection from look-alikes agree with them.
    /// - Returns: the number of events.
    package func verify(_ report: (Discrepancy) throws -> Void) async throws -> Int64 {
        let scope = try await writes.scope()
        try await pool.withOwnConnection(until: .now + LongStatements.longest) { connection in
            try await ConsistencyCheck(connection, scope).run(report)
        }
        // It takes longer than other look-ups may.
        return try await pool.transaction(
            beginningWith: [LongStatements()], until: .now + LongStatements.longest
        ) { transaction in
            let counts: [Int64] = try await transaction.run(CountEvents())
            try await transaction.commit()
            return counts.first ?? 0
        }
    }
}
