import Postgres

extension Registry {
    /// Frees lapsed handles, and deletes stored answers past their lifetime.
    /// - Returns: the number of handles freed.
    @discardableResult
    package func sweep(limit: Int = 500) async throws -> Int {
        // Answers first: they contain secrets, and no row lock of a handle delays them. In batches, because one
        // statement for all could exceed its time limit.
        while let end = try await background.run(FindOldKeys()).first ?? nil {
            _ = try await background.run(DeleteOldKeys(end: end))
        }
        let lapsed = try await background.run(LookupLapsed(limit: Int64(limit)))
        var freed = 0
        for record in lapsed {
            do {
                if try await writes.write(Expire(record), waitingShortly: true, inBackground: true) { freed += 1 }
            } catch let error as PostgresError where error.isOfContention {
                // Another transaction is changing the handle. The other lapsed handles must not wait for it.
            }
        }
        return freed
    }
}
