package import HandleRules
package import HandleWords
import NIOConcurrencyHelpers
package import Postgres

/// The registry of handles and their owners.
///
/// Expected outcomes are returned. A thrown ``PostgresError`` is a fault of the database; the answer is then unknown.
package struct Registry: Sendable {
    package let policy: Policy
    let vocabulary: Vocabulary
    /// The connections that callers share.
    package private(set) var pool: Pool
    /// The connection for background work. Callers never wait for it, however many there are, and so can't block it.
    let background: Pool
    /// Time for which reserved words stay in force without confirmation; nil for no limit.
    private let longestUnconfirmed: Duration?
    /// The limit of a service for reserved words and access keys, which it reads every second. After that many failed
    /// reads, no answer is better than one that may be wrong.
    package static let longestUnconfirmed = Duration.seconds(30)
    /// Nil in the registry that the queue itself uses.
    private(set) var claims: ClaimQueue?
    package let reads: ReadSide
    let lookups: LookupQueue
    package let hints: NameHints
    let recentOffers = RecentOffers()
    package let decisionMetrics = DecisionMetrics()
    package let writeHealth = WriteHealth()
    /// The salt of the owner marks; nil until it is read.
    private let salt = NIOLockedValueBox<[UInt8]?>(nil)

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
        self.pool = pool
        self.background = background ?? pool
        self.policy = policy
        self.longestUnconfirmed = longestUnconfirmed
        vocabulary = try Vocabulary(off: policy.wordsOff)
        reads = ReadSide(primary: pool, background: background ?? pool, replica: replica)
        lookups = LookupQueue(reads, policy)
        hints = NameHints(limit: hintsBytes)
        claims = ClaimQueue(for: self)
    }

    /// The metrics of the connections to the primary.
    package var poolMetrics: Pool.Metrics { pool.metrics }

    /// The same registry with the background connection as its pool.
    var inBackground: Registry {
        var registry = self
        registry.pool = background
        return registry
    }

    /// Time since the reserved words were last confirmed; nil before they were read.
    package func wordsAge(at now: ContinuousClock.Instant = .now) -> Duration? {
        vocabulary.confirmedAt.map { $0.duration(to: now) }
    }

    /// The reserved words, for a decision.
    /// - Throws: `PostgresError` if they have been unconfirmed for too long: the handle may have become a reserved
    ///   word.
    func confirmedWords(at now: ContinuousClock.Instant = .now) throws(PostgresError) -> ReservedWords {
        if let longestUnconfirmed, wordsAge(at: now).map({ $0 > longestUnconfirmed }) ?? true {
            throw PostgresError(.unavailable, "the reserved words are too old: they could not be read")
        }
        return words
    }

    /// Increases with each change of the reserved words that this process has read; nil before the first read.
    package var wordsVersion: Int64? { vocabulary.version }

    /// The metrics of the batched look-ups; a weight is a number of handles.
    package var lookupMetrics: CoalescerMetrics { lookups.metrics }

    /// The record of a handle; nil if it is free.
    package func record(of handle: Handle) async throws -> Record? {
        try await pool.run(Lookup(handle: handle)).first { !$0.isFree }
    }

    /// The handles that an owner holds or has claimed, in alphabetical order.
    package func records(of owner: Owner) async throws -> [Record] {
        try await pool.run(LookupOwner(owner: owner)).filter { !$0.isFree && $0.state != .reserved }
    }

    /// The events of a handle, oldest first.
    package func history(of handle: Handle) async throws -> [Event] {
        var owners: [OwnerMark: Owner?] = [:]
        // An owner with only a reservation may have no row in `owners`. Its id is then only in this record.
        if let owner = try await record(of: handle)?.owner { owners[try await scope().mark(of: owner)] = owner }
        var events = try await pool.run(LookupEvents(handle: handle))
        for (index, event) in events.enumerated() {
            guard let mark = event.owner else { continue }
            if owners[mark] == nil { owners[mark] = try await pool.run(LookupOwnerID(mark: mark)).first }
            events[index].ownerID = owners[mark] ?? nil
        }
        return events
    }

    /// The inputs of changes and decisions.
    func scope() async throws -> Scope {
        _ = try confirmedWords()
        let (words, changes) = vocabulary.counted
        return Scope(words: words, wordChanges: changes, policy: policy, salt: try await readSalt())
    }

    func asker(_ owner: Owner?) async throws -> Asker {
        guard let owner else { return .anyone }
        return Asker(owner: owner, mark: OwnerMark(of: owner, salt: try await readSalt()))
    }

    private func readSalt() async throws -> [UInt8] {
        if let salt = salt.withLockedValue(\.self) { return salt }
        guard let read = try await pool.run(LookupSalt()).first else {
            throw RegistryError(.unsuitableDatabase, "the table registry_salt is empty; restore it from a backup")
        }
        salt.withLockedValue { $0 = read }
        return read
    }
}
