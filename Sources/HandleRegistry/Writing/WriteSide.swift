import HandleWords
import NIOConcurrencyHelpers
import Postgres

/// The common part of all writes: the connections to the primary, and the basis of decisions.
struct WriteSide: Sendable {
    /// The connections that callers share.
    let pool: Pool
    /// The connection for background work. Callers never wait for it, however many there are, and so can't block it.
    let background: Pool
    let policy: Policy
    let vocabulary: Vocabulary
    /// Time for which reserved words stay in force without confirmation; nil for no limit.
    let longestUnconfirmed: Duration?
    /// Gets the handles that were taken.
    let hints: NameHints
    let health = WriteHealth()
    /// The salt of the owner marks; nil until it is read.
    private let salt = NIOLockedValueBox<[UInt8]?>(nil)

    init(
        pool: Pool, background: Pool, policy: Policy, vocabulary: Vocabulary, longestUnconfirmed: Duration?,
        hints: NameHints
    ) {
        (self.pool, self.background, self.policy, self.vocabulary) = (pool, background, policy, vocabulary)
        (self.longestUnconfirmed, self.hints) = (longestUnconfirmed, hints)
    }

    /// Writes one change in its own transaction.
    /// - Parameters:
    ///   - waitingShortly: true to end with an error (`PostgresError.isOfContention`) after a short lock wait, or when a
    ///     record has changed.
    ///   - isBackground: true to use the connection for background work.
    func write<C: Change>(
        _ change: C, waitingShortly: Bool = false, inBackground isBackground: Bool = false
    ) async throws -> C.Outcome {
        try await write([change], waitingShortly: waitingShortly, inBackground: isBackground)[0]
    }

    /// Writes changes in one transaction, as if one after the other.
    /// - Parameters:
    ///   - changes: no two of one handle.
    ///   - isLong: true for the time limit of bulk work.
    ///   - deadline: end of all attempts together; nil for the time limit of a call.
    func write<C: Change>(
        _ changes: [C], waitingShortly: Bool = false, isLong: Bool = false, inBackground isBackground: Bool = false,
        until deadline: ContinuousClock.Instant? = nil
    ) async throws -> [C.Outcome] {
        guard !changes.isEmpty else { return [] }
        let pool = isBackground ? background : pool
        let deadline = deadline ?? .now + (isLong ? LongStatements.longest : pool.configuration.timeout)
        var writer = try await Writer(changes, self, pool)
        return try await writer.run(waitingShortly: waitingShortly, isLong: isLong, until: deadline)
    }

    /// The inputs of changes and decisions.
    func scope() async throws -> Scope {
        _ = try confirmedWords()
        let (words, changes) = vocabulary.counted
        return Scope(words: words, wordChanges: changes, policy: policy, salt: try await readSalt())
    }

    /// Time since the reserved words were last confirmed; nil before they were read.
    func wordsAge(at now: ContinuousClock.Instant) -> Duration? { vocabulary.confirmedAt.map { $0.duration(to: now) } }

    /// The reserved words, for a decision.
    /// - Throws: `PostgresError` if they have been unconfirmed for too long: the handle may have become a reserved
    ///   word.
    func confirmedWords(at now: ContinuousClock.Instant = .now) throws(PostgresError) -> ReservedWords {
        if let longestUnconfirmed, wordsAge(at: now).map({ $0 > longestUnconfirmed }) ?? true {
            throw PostgresError(.unavailable, "the reserved words are too old: they could not be read")
        }
        return vocabulary.current
    }

    /// Reads the changes of reserved words from the database, if there are new ones.
    /// - Returns: true if other words are in force now.
    /// - Throws: `PostgresError`; the words in force stay.
    @discardableResult
    func refreshWords() async throws -> Bool {
        // Taken before the query: the words may change again from then on.
        let now = ContinuousClock.now
        guard let row = try await background.run(WordsFingerprint()).first else { return false }
        health.note(isReadOnly: row.isReadOnly)
        if vocabulary.confirm(row.fingerprint, at: now) { return false }
        vocabulary.apply(try await background.run(LookupWords()), fingerprint: row.fingerprint, at: now)
        return true
    }

    func readSalt() async throws -> [UInt8] {
        if let salt = salt.withLockedValue(\.self) { return salt }
        guard let read = try await pool.run(LookupSalt()).first else {
            throw RegistryError(.unsuitableDatabase, "the table registry_salt is empty; restore it from a backup")
        }
        salt.withLockedValue { $0 = read }
        return read
    }
}
