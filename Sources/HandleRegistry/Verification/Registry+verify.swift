import Postgres

extension Registry {
    /// Events looked at in one query.
    private static let verifiedAtOnce: Int64 = 10_000

    /// Checks that the events of each name form an unbroken chain, that they lead to the tables as they are, and that
    /// the owners' notes and the look-alike keys are what follows from it.
    /// - Returns: how many events there are.
    package func verify(_ report: (Discrepancy) throws -> Void) async throws -> Int64 {
        let scope = try await scope()
        var after = ""
        while true {
            let page = try await pool.run(VerifiedPage(after: after, limit: Self.verifiedAtOnce)).first
            // Behind every handle, so that names without events at the end are seen.
            let end = page ?? "~"
            let found = try await pool.transaction(
                beginningWith: [LongStatements(), JoinsOfMany()], until: .now + LongStatements.longest
            ) { transaction in
                let found = try await transaction.run(FindDiscrepancies(after: after, upTo: end, salt: scope.salt))
                try await transaction.commit()
                return found
            }
            for discrepancy in found { try report(discrepancy) }
            guard page != nil else { break }
            after = end
        }
        try await pool.withOwnConnection(until: .now + LongStatements.longest) { connection in
            try await DerivedCheck(connection, scope).run(report)
        }
        return try await countEvents()
    }

    /// Of many millions, it takes longer than any other look-up may.
    private func countEvents() async throws -> Int64 {
        try await pool.transaction(
            beginningWith: [LongStatements()], until: .now + LongStatements.longest
        ) { transaction in
            let counts: [Int64] = try await transaction.run(CountEvents())
            try await transaction.commit()
            return counts.first ?? 0
        }
    }
}
