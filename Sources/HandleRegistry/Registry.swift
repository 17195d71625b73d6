package import HandleRules
package import HandleWords
package import Postgres

/// The registry of handles and their owners.
///
/// Expected outcomes are returned. A thrown ``PostgresError`` is a fault of the database; the answer is then unknown.
package struct Registry: Sendable {
    let writes: WriteSide
    let claims: ClaimQueue
    package let reads: ReadSide
    let lookups: LookupQueue
    let recentOffers = RecentOffers()
    package let decisionMetrics = DecisionMetrics()
    /// The limit of a service for reserved words and access keys, which it reads every second. After that many failed
    /// reads, no answer is better than one that may be wrong.
    package static let longestUnconfirmed = Duration.seconds(30)

    package var policy: Policy { writes.policy }
    package var hints: NameHints { writes.hints }
    package var writeHealth: WriteHealth { writes.health }
    /// The connections that callers share.
    package var pool: Pool { writes.pool }
    var background: Pool { writes.background }
    var vocabulary: Vocabulary { writes.vocabulary }

    /// The reserved words in force.
    package var words: ReservedWords { vocabulary.current }

    /// A registry in the database of `pool`, with the built-in reserved words.
    /// - Parameters:
    ///   - background: a connection to the same database for background work, which must not wait for callers; nil to
    ///     use `pool`, as commands do.
    ///   - replica: a pool for a replica of that database, for checks.
    ///   - longestUnconfirmed: how long reserved words stay in force without confirmation; nil for no limit.
    ///   - hintsBytes: the most memory of the hints; 0 for none. ``fillHints()`` fills them.
    package init(
        pool: Pool, background: Pool? = nil, replica: Pool? = nil, policy: Policy = Policy(),
        longestUnconfirmed: Duration? = nil, hintsBytes: Int = 0
    ) throws(ReservedWord.ListError) {
        let background = background ?? pool
        writes = WriteSide(
            pool: pool, background: background, policy: policy, vocabulary: try Vocabulary(off: policy.wordsOff),
            longestUnconfirmed: longestUnconfirmed, hints: NameHints(limit: hintsBytes))
        claims = ClaimQueue(writes)
        reads = ReadSide(primary: pool, background: background, replica: replica)
        lookups = LookupQueue(reads)
    }

    /// The metrics of the connections to the primary.
    package var poolMetrics: Pool.Metrics { pool.metrics }

    /// Time since the reserved words were last confirmed; nil before they were read.
    package func wordsAge(at now: ContinuousClock.Instant = .now) -> Duration? { writes.wordsAge(at: now) }

    /// Increases with each change of the reserved words that this process has read; nil before the first read.
    package var wordsVersion: Int64? { vocabulary.version }

    /// The metrics of the batched look-ups; a weight is a number of handles.
    package var lookupMetrics: CoalescerMetrics { lookups.metrics }

    /// The record of a handle; nil if it is free.
    package func record(of handle: Handle) async throws -> Record? {
        try await pool.run(LookupRecords(handles: [handle])).first { $0.handle == handle && !$0.isFree }
    }

    /// The handles that an owner holds or has claimed, in alphabetical order.
    package func records(of owner: Owner) async throws -> [Record] {
        try await pool.run(LookupOwners(owners: [owner])).filter { !$0.isFree && $0.state != .reserved }
    }

    /// The events of a handle, oldest first.
    package func history(of handle: Handle) async throws -> [Event] {
        var owners: [OwnerMark: Owner?] = [:]
        // An owner with only a reservation may have no row in `owners`. Its id is then only in this record.
        if let owner = try await record(of: handle)?.owner { owners[try await writes.scope().mark(of: owner)] = owner }
        var events = try await pool.run(LookupEvents(handle: handle))
        for (index, event) in events.enumerated() {
            guard let mark = event.owner else { continue }
            if owners[mark] == nil { owners[mark] = try await pool.run(LookupOwnerID(mark: mark)).first }
            events[index].ownerID = owners[mark] ?? nil
        }
        return events
    }

    func caller(_ owner: Owner?) async throws -> Decision.Caller {
        guard let owner else { return .anyone }
        let scope = try await writes.scope()
        let account = try await pool.run(LookupNotes(marks: [scope.mark(of: owner)])).first
        return Decision.Caller(owner: owner, account, scope)
    }
}
