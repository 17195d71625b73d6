import Postgres

/// Where the registry's tables and its history disagree.
package struct Discrepancy: Sendable, Hashable {
    /// The name, or the owner's mark for ``Kind/miscounted``.
    package let subject: String
    /// The version of the name, where there is one.
    package let version: Int64?
    package let kind: Kind

    package enum Kind: String, Sendable, CaseIterable {
        /// The name has no history.
        case noHistory = "no_history"
        /// The history tells of a name that is not there.
        case noName = "no_name"
        /// An event was changed, or one before it.
        case brokenChain = "broken_chain"
        /// An event is missing, or does not begin where the one before it ended.
        case gap
        /// The name is other than its last event left it.
        case differs
        /// An owner's count of claims is wrong.
        case miscounted
    }
}

extension Registry {
    /// Events looked at in one query.
    private static let verifiedAtOnce: Int64 = 10_000

    /// Checks that the events of each name form an unbroken chain, that they lead to the tables as they are, and that
    /// the owners' claims are counted right.
    /// - Returns: how many events there are.
    package func verify(_ report: (Discrepancy) throws -> Void) async throws -> Int64 {
        let salt = try await scope().salt
        var after = ""
        while true {
            let page = try await pool.run(VerifiedPage(after: after, limit: Self.verifiedAtOnce)).first
            // Behind every handle, so that names without events at the end are seen.
            let end = page ?? "~"
            let found = try await pool.transaction(
                beginningWith: [LongStatements(), JoinsOfMany()], until: .now + LongStatements.longest
            ) { transaction in
                let found = try await transaction.run(FindDiscrepancies(after: after, upTo: end, salt: salt))
                try await transaction.commit()
                return found
            }
            for discrepancy in found { try report(discrepancy) }
            guard page != nil else { break }
            after = end
        }
        try await verifyAccounts(report)
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

    private func verifyAccounts(_ report: (Discrepancy) throws -> Void) async throws {
        var after: [UInt8] = []
        while true {
            let page = try await pool.run(LookupCounts(after: after, limit: Self.verifiedAtOnce))
            guard let last = page.last else { return }
            for count in try await miscounted(page) {
                // A claim may have been made between the two look-ups: look again before saying so.
                guard try await !miscounted(pool.run(LookupCounts(of: count.mark))).isEmpty else { continue }
                try report(Discrepancy(subject: count.mark.description, version: nil, kind: .miscounted))
            }
            after = last.mark.bytes
        }
    }

    private func miscounted(_ counts: [LookupCounts.Row]) async throws -> [LookupCounts.Row] {
        let claims = try await pool.run(CountClaims(owners: counts.compactMap { $0.id }))
        let byOwner = Dictionary(claims.map { ($0.owner, $0.count) }) { first, _ in first }
        return counts.filter { count in
            count.claimed != count.id.flatMap { byOwner[$0] } ?? 0
        }
    }
}
