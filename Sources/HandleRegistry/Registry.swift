package import HandleCore
import HandleText
import NIOConcurrencyHelpers
package import Postgres

/// The registry: who has which handle.
///
/// Expected outcomes are returned; what is thrown is a fault of the database (``PostgresError``) and says that the
/// answer is not known.
package struct Registry: Sendable {
    package let policy: Policy
    let vocabulary: Vocabulary
    /// The access keys in force.
    package let keys: KeyRing
    /// The connections that callers take turns with.
    private(set) var pool: Pool
    /// The connection for what steers the service: callers can't queue for it, however many they are.
    let background: Pool
    /// How long keys and reserved words stay in force that could not be confirmed; nil for as long as it takes.
    private let longestUnconfirmed: Duration?
    /// For a service, which reads them every second: after so many tries that failed, to say nothing is better than what
    /// may be wrong.
    package static let longestUnconfirmed = Duration.seconds(30)
    let claims = ClaimQueue()
    package let reads: ReadSide
    let lookups: LookupQueue
    let recentOffers = RecentOffers()
    /// How checks were decided so far.
    package let decisionFigures = DecisionFigures()
    /// The salt of the owners' marks, once it has been read.
    private let salt = NIOLockedValueBox<[UInt8]?>(nil)

    /// The reserved words in force at this moment.
    package var words: ReservedWords { vocabulary.current }

    /// A registry on the database that `pool` leads to, with the words that the binary carries.
    /// - Parameters:
    ///   - background: a connection to that database for what steers the service, which must not wait for callers; nil to
    ///     let it take turns with them, as a command does that has none.
    ///   - replica: leads to a replica of that database, for checks.
    ///   - longestUnconfirmed: how long keys and reserved words stay in force that could not be confirmed; nil for as long
    ///     as it takes.
    package init(
        pool: Pool, background: Pool? = nil, replica: Pool? = nil, policy: Policy = Policy(),
        longestUnconfirmed: Duration? = nil
    ) throws(ReservedWord.ListError) {
        self.pool = pool
        self.background = background ?? pool
        self.policy = policy
        self.longestUnconfirmed = longestUnconfirmed
        vocabulary = try Vocabulary()
        keys = KeyRing(longestUnconfirmed: longestUnconfirmed)
        reads = ReadSide(primary: pool, background: background ?? pool, replica: replica)
        lookups = LookupQueue(reads, policy)
    }

    /// How the connections to the primary stand.
    package var poolFigures: Pool.Figures { pool.figures }

    /// The same registry, working with the connection that callers don't queue for.
    var inBackground: Registry {
        var registry = self
        registry.pool = background
        return registry
    }

    /// How long ago the reserved words were last known to be those of the database; nil before they were read.
    package func wordsAge(at now: ContinuousClock.Instant = .now) -> Duration? {
        vocabulary.confirmedAt.map { $0.duration(to: now) }
    }

    /// The reserved words, for a decision.
    /// - Throws: `PostgresError` when they could not be confirmed for too long: somebody may have added the very word.
    func confirmedWords(at now: ContinuousClock.Instant = .now) throws(PostgresError) -> ReservedWords {
        if let longestUnconfirmed, wordsAge(at: now).map({ $0 > longestUnconfirmed }) ?? true {
            throw PostgresError(.unavailable, "the reserved words are too old: they could not be read")
        }
        return words
    }

    /// Grows with each change of the reserved words that this process has taken in; nil before they were read.
    package var wordsVersion: Int64? { vocabulary.version }

    /// What the shared look-ups have done so far.
    package var lookupFigures: LookupFigures { lookups.figures }

    /// What is known of a name that somebody has; nil when it is free.
    package func record(of handle: Handle) async throws -> Record? {
        try await pool.run(Lookup(handle: handle)).first { !$0.isFree }
    }

    /// The handles that an owner holds or has, in alphabetical order.
    package func records(of owner: Owner) async throws -> [Record] {
        try await pool.run(LookupOwner(owner: owner)).filter { !$0.isFree && $0.state != .reserved }
    }

    /// What has happened to a name, oldest first.
    package func history(of handle: Handle) async throws -> [Event] {
        var owners: [OwnerMark: Owner?] = [:]
        // Somebody for whom a name is reserved need not have had any yet, and is then known by this name alone.
        if let owner = try await record(of: handle)?.owner { owners[try await scope().mark(of: owner)] = owner }
        var events = try await pool.run(LookupEvents(handle: handle))
        for (index, event) in events.enumerated() {
            guard let mark = event.owner else { continue }
            if owners[mark] == nil { owners[mark] = try await pool.run(LookupOwnerID(mark: mark)).first ?? nil }
            events[index].ownerID = owners[mark] ?? nil
        }
        return events
    }

    /// What operations and decisions work with.
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

/// A random number by which a change is told from every other.
func newChange() -> Int64 { .random(in: .min ... .max) }
