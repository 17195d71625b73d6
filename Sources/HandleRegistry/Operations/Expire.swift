import HandleCore
import Postgres

/// Frees a name whose time has passed. Only tidiness: such a name counts as free anyway.
struct Expire: Operation {
    let record: Record
    private let change = newChange()
    var goesByWords: Bool { false }

    init(_ record: Record) { self.record = record }

    func attempt(in scope: Scope, _ transaction: inout Transaction) async throws -> Attempt<Void> {
        var locks = Locks(scope, .registry)
        let freed = try await locks.free(record, .expired, change: change, &transaction)
        return freed == nil ? .refuse(()) : .commit((), made: nil)
    }
}

extension Registry {
    /// Frees names whose time has passed and removes answers that have been kept long enough.
    /// - Returns: how many names there were.
    @discardableResult
    package func sweep(limit: Int = 500) async throws -> Int {
        // Answers first: they have secrets in them, and no name is in their way. Some at a time, as no statement may take
        // as long as all of them could.
        while let end = try await background.run(FindOldKeys()).first ?? nil {
            _ = try await background.run(DeleteOldKeys(end: end))
        }
        let lapsed = try await background.run(LookupLapsed(limit: Int64(limit)))
        var freed = 0
        for record in lapsed {
            do {
                try await inBackground.performAlone(Expire(record), waitingShortly: true)
                freed += 1
            } catch let error as PostgresError where error.isLockTimeout {
                // Somebody is changing the name at this moment, and nothing else may wait for them.
            }
        }
        return freed
    }
}
