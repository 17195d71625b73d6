import HandleRules
import HandleWords
import Postgres

extension Registry {
    private static let maxRestoreAttempts = 3

    /// Inserts those archived handles of which the registry has no record, in one transaction. Safe to repeat.
    /// - Parameters:
    ///   - names: different handles, at most a few thousand.
    ///   - actor: the actor of the events written for handles without a history.
    ///   - isDryRun: true to insert nothing.
    /// - Returns: the records that were there before, in the order of `names`.
    /// - Throws: `PostgresError`.
    func restore(_ names: [ArchivedName], actor: String, isDryRun: Bool) async throws -> [Record?] {
        let scope = try await writes.scope()
        var attempt = 1
        while true {
            let records = try await lookUp(names.map(\.handle))
            do {
                if !isDryRun { try await insert(names.filter { records[$0.handle] == nil }, actor, scope) }
            } catch let error as PostgresError where error.isDuplicate && attempt < Self.maxRestoreAttempts {
                // Another transaction took one of the handles, or a look-alike of one.
                attempt += 1
                continue
            }
            return names.map { records[$0.handle] }
        }
    }

    /// Inserts those archived changes of words that are new, in one transaction. Safe to repeat.
    /// - Returns: whether each was new.
    /// - Throws: `PostgresError`.
    func restore(_ words: [WordChange]) async throws -> [Bool] {
        try await pool.transaction { transaction in
            _ = try await transaction.run(CountWordsChange())
            var areNew: [Bool] = []
            for word in words { areNew.append(try await !transaction.run(RestoreWord(change: word)).isEmpty) }
            if areNew.contains(true) { try await transaction.commit() } else { try await transaction.rollBack() }
            return areNew
        }
    }

    /// Whether each of the words has no change here.
    /// - Throws: `PostgresError`.
    func areNew(_ words: [WordChange]) async throws -> [Bool] {
        let known = Set(try await wordChanges().map(\.word))
        return words.map { !known.contains($0.word) }
    }

    private func insert(_ names: [ArchivedName], _ actor: String, _ scope: Scope) async throws {
        guard !names.isEmpty else { return }
        try await pool.transaction(beginningWith: [LongStatements()], until: .now + LongStatements.longest) {
            transaction in
            let keys = Set(names.map { LookalikeKey($0.handle) }).sorted()
            let rows = RestoredRows(names, actor: actor, scope)
            let (_, found, times) = try await transaction.run(
                RestoreOwners(owners: rows.owners), LookupStored(keys: keys), TransactionTime())
            let known = Set(found.map { LookalikeKey($0.record.handle) }).sorted()
            let stored = try await transaction.run(
                after: known.map { LockKey(key: $0) }, LookupStored(keys: known))
            try await transaction.copy(rows.names(beside: stored.map(\.record)))
            try await transaction.copy(rows.events)
            if let now = times.first { transaction.runLast(NoteForFeed(rows: rows.outbox(at: now))) }
            for kept in rows.quarantined { transaction.runLast(kept) }
            try await transaction.commit()
        }
    }
}
