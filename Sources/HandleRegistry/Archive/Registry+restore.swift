import HandleRules
import HandleWords
import Postgres

extension Registry {
    private static let maxRestoreAttempts = 3

    /// Inserts those archived handles of which the registry has no record, in one transaction. Safe to repeat.
    /// - Parameters:
    ///   - names: different handles, at most a few thousand.
    ///   - actor: the actor of the events written for handles without a history.
    /// - Returns: the records that were there before, in the order of `names`.
    /// - Throws: `PostgresError`.
    func restore(_ names: [ArchivedName], actor: String) async throws -> [Record?] {
        let scope = try await writes.scope()
        var attempt = 1
        while true {
            let records = try await lookUp(names.map(\.handle))
            do {
                try await insert(names.filter { records[$0.handle] == nil }, actor, scope, isAlone: attempt == 1)
            } catch let error as PostgresError where error.isDuplicate && attempt < Self.maxRestoreAttempts {
                // Another transaction took one of the handles, or a look-alike of one.
                attempt += 1
                continue
            }
            return names.map { records[$0.handle] }
        }
    }

    /// - Parameter isAlone: true to assume that no other transaction takes look-alikes of these handles. Rows of new
    ///   look-alike keys are then copied, which is faster than locking them first.
    private func insert(_ names: [ArchivedName], _ actor: String, _ scope: Scope, isAlone: Bool) async throws {
        guard !names.isEmpty else { return }
        let rows = RestoredRows(names, actor: actor, scope)
        try await pool.transaction(beginningWith: [LongStatements()], until: .now + LongStatements.longest) {
            transaction in
            _ = try await transaction.run(RestoreOwners(owners: rows.owners))
            let keys = Set(rows.names.map { LookalikeKey($0.handle) }).sorted()
            if isAlone {
                let (known, now) = try await transaction.run(LockKnownLookalikes(keys: keys), TransactionTime())
                let entries = rows.lookalikes(adding: known, at: now[0])
                let stored = Set(known.map(\.key))
                var copied = CopyRows.lookalikes(reservingCapacity: entries.count * 200)
                for entry in entries.sorted(by: { $0.key < $1.key }) where !stored.contains(entry.key) {
                    copied.add(entry)
                }
                try await transaction.copy(copied)
                transaction.putLast(entries.filter { stored.contains($0.key) })
            } else {
                let (known, now) = try await transaction.run(
                    LockLookalikes(locks: keys.map { LockLookalike(key: $0) }), TransactionTime())
                transaction.putLast(rows.lookalikes(adding: known, at: now[0]))
            }
            try await transaction.copy(rows.handles)
            try await transaction.copy(rows.events)
            try await transaction.commit()
        }
    }
}
