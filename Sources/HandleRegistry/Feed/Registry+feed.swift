import HandleRules
import HandleWords
import Postgres

extension Registry {
    /// The state of the feed.
    /// - Throws: `PostgresError`
    package func feedState() async throws -> FeedState { try Self.one(await pool.run(LookupFeed())) }

    /// The events of the feed after a number, in order.
    /// - Parameter limit: the most events.
    /// - Throws: `PostgresError`
    package func feed(after cursor: Int64, limit: Int) async throws -> FeedPage {
        // The state is read after the entries: none of them was deleted before, if it says so.
        let (entries, states) = try await pool.run(
            pipeline: FeedEntries(after: cursor, limit: limit), LookupFeed())
        let state = try Self.one(states)
        guard state.isOn else { return .off }
        guard state.has(after: cursor) || entries.first.map({ $0.seq == cursor + 1 }) ?? false else {
            return .expired(state)
        }
        return .events(try await events(of: entries))
    }

    /// The events of entries, up to the first that another node has not committed yet.
    private func events(
        of entries: [(seq: Int64, handle: Handle, version: Int64)]
    ) async throws -> [FeedEvent] {
        if entries.isEmpty { return [] }
        // The version before has the previous owner.
        let wanted = entries.flatMap { [($0.handle, $0.version), ($0.handle, $0.version - 1)] }
        let versions = Dictionary(grouping: wanted, by: \.0).flatMap { handle, all in
            Set(all.map(\.1)).map { (handle: handle, version: $0) }
        }
        var events: [Handle: [Int64: Event]] = [:]
        for event in try await pool.run(EventsOfVersions(versions: versions)) {
            events[event.handle, default: [:]][event.version] = event
        }
        let owners = try await owners(of: events.values.flatMap(\.values))
        var found: [FeedEvent] = []
        for entry in entries {
            guard var event = events[entry.handle]?[entry.version] else { break }
            event.ownerID = event.owner.flatMap { owners[$0] }
            let before = events[entry.handle]?[entry.version - 1]?.owner
            found.append(FeedEvent(seq: entry.seq, event: event, previousOwner: before.flatMap { owners[$0] }))
        }
        return found
    }

    /// The ids of the owners of events, without those that were deleted.
    private func owners(of events: [Event]) async throws -> [OwnerMark: Owner] {
        let marks = Set(events.compactMap(\.owner))
        if marks.isEmpty { return [:] }
        let accounts = try await pool.run(LookupAccounts(marks: Array(marks)))
        var owners = Dictionary(
            accounts.compactMap { account in account.owner.map { (account.mark, $0) } }
        ) { first, _ in first }
        // An owner with only a reservation may have no id in `owners`. It is then only in the record.
        let reserved = Set(events.filter { event in event.owner.map { owners[$0] == nil } ?? false }.map(\.handle))
        if reserved.isEmpty { return owners }
        let scope = try await writes.scope()
        for record in try await lookUp(Array(reserved)).values where record.state == .reserved {
            if let owner = record.owner { owners[scope.mark(of: owner)] = owner }
        }
        return owners
    }

    /// Sets how long the feed keeps its events. From the commit on, every change is noted for the feed, whichever program
    /// makes it; changes that have begun before are waited for.
    ///
    /// A feed that is turned on has no events from the time before; cursors from then have expired.
    /// - Parameter kept: whole seconds; zero to turn the feed off.
    /// - Returns: the state before.
    /// - Throws: `PostgresError`
    @discardableResult
    package func keepFeed(for kept: Duration) async throws -> FeedState {
        let before = try await background.transaction(
            beginningWith: [LongStatements()], until: .now + LongStatements.longest
        ) { transaction in
            let before = try Self.one(await transaction.run(LockFeed()))
            var state = before
            state.kept = kept
            if state.isOn, !before.isOn {
                let (_, _, hasNames) = try await transaction.run(LockNames(), EmptyOutbox(), HasNames())
                // A reader from number 0 on expects every change that there ever was.
                if state.seq > 0 || !hasNames.isEmpty { state.seq += 1 }
                state.floor = state.seq
            } else if !state.isOn {
                state.floor = state.seq
            }
            transaction.runLast(PutFeed(state: state))
            try await transaction.commit()
            return before
        }
        if kept == .zero, before.isOn { try await trimFeed() }
        return before
    }

    /// Deletes the events that are older than the feed keeps.
    /// - Throws: `PostgresError`
    package func trimFeed() async throws {
        while let end = try await background.run(LastOldEntry()).first {
            try await background.transaction { transaction in
                var state = try Self.one(await transaction.run(LockFeed()))
                state.floor = max(state.floor, end)
                transaction.runLast(PutFeed(state: state))
                transaction.runLast(DeleteEntries(end: end))
                try await transaction.commit()
            }
        }
    }

    static func one(_ states: [FeedState]) throws -> FeedState {
        guard let state = states.first else {
            throw RegistryError(.unsuitableDatabase, "the table feed_state is empty; restore it from a backup")
        }
        return state
    }
}
