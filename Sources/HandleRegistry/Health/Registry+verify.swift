import Postgres

extension Registry {
    /// Events checked in one query.
    private static let verifiedAtOnce: Int64 = 10_000

    /// Checks that the events of each handle form an unbroken chain, that they lead to the current records, and that
    /// the owners' accounts and the look-alike keys agree with them.
    /// - Returns: the number of events.
    package func verify(_ report: (Discrepancy) throws -> Void) async throws -> Int64 {
        let scope = try await writes.scope()
        var after = ""
        while true {
            let page = try await pool.run(VerifiedPage(after: after, limit: Self.verifiedAtOnce)).first
            // Sorts after every handle, so that records without events at the end are found.
            let end = page ?? "~"
            let found = try await readLong(FindDiscrepancies(after: after, upTo: end, salt: scope.salt))
            for discrepancy in found { try report(discrepancy) }
            guard page != nil else { break }
            after = end
        }
        try await pool.withOwnConnection(until: .now + LongStatements.longest) { connection in
            try await DerivedCheck(connection, scope).run(report)
        }
        return try await readLong(CountEvents()).first ?? 0
    }

    /// Runs a statement on many millions of events, which takes longer than other look-ups may.
    private func readLong<S: Statement>(_ statement: S) async throws -> [S.Row] {
        try await pool.transaction(
            beginningWith: [LongStatements(), JoinsOfMany()], until: .now + LongStatements.longest
        ) { transaction in
            let rows: [S.Row] = try await transaction.run(statement)
            try await transaction.commit()
            return rows
        }
    }
}
