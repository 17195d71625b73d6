import HandleCore
import Postgres

/// Reserves handles in one transaction, one after the other, each decided under the row lock of its look-alike key.
struct ReserveGroup: Operation {
    /// No handle twice.
    let names: [NameToReserve]
    let allowsLookalikes: Bool
    let actor: String
    /// The change number that all reservations get.
    let change: Int64

    private struct Taken {
        let name: NameToReserve
        /// The place of the outcome.
        let index: Int
        let version: Int64
        /// Look-alikes in use.
        let lookalikes: [Handle]
        /// The protected handle for which an exception is made.
        let original: Handle?
    }

    func performed(by registry: Registry) async throws -> [Reserved] {
        try await registry.performAlone(self, isLong: true)
    }

    func attempt(in scope: Scope, _ transaction: inout Transaction) async throws -> Attempt<[Reserved]> {
        let (_, locked, known) = try await transaction.run(
            LockOwners(marks: names.marks(in: scope)), LockLookalikes(keys: Set(names.map(\.key)).sorted()),
            LookupMany(handles: names.map(\.handle).sorted()))
        var entries = Dictionary(locked.map { ($0.key, $0) }) { first, _ in first }
        let records = known.byHandle
        var taken: [Taken] = []
        var changed: Set<LookalikeKey> = []
        var outcomes = [Reserved?](repeating: nil, count: names.count)
        var wasDone = false
        for (index, name) in names.enumerated() {
            guard var entry = entries[name.key] else { return .again }
            let record = records[name.handle]
            let others = entry.others(than: name.handle)
            if let record, record.isReserved, record.change == change {
                // An earlier attempt reserved it, and its COMMIT got no reply.
                outcomes[index] = Reserved(.done(record), lookalikes: others)
                wasDone = true
                continue
            }
            if let obstacle = name.obstacle(record, entry, scope.policy, allowingLookalike: allowsLookalikes) {
                outcomes[index] = Reserved(obstacle)
                continue
            }
            let original = entry.original(of: name.handle, under: nil)
            entry.protect(name.handle, until: name.reservation.until)
            entries[name.key] = entry
            changed.insert(name.key)
            taken.append(
                Taken(
                    name: name, index: index, version: (record?.version ?? 0) + 1, lookalikes: others,
                    original: original))
        }
        // Commit although nothing changes. A commit that follows the unanswered one makes the outcomes durable before
        // they are reported.
        guard !taken.isEmpty else {
            let outcomes = outcomes.compactMap(\.self)
            return wasDone ? .commit(outcomes, made: nil) : .refuse(outcomes)
        }
        taken.sort { $0.name.handle < $1.name.handle }
        guard let records = try await take(taken, scope, &transaction) else { return .again }
        for taken in taken {
            outcomes[taken.index] = records[taken.name.handle].map {
                Reserved(.done($0), lookalikes: taken.lookalikes)
            }
        }
        transaction.put(changed.compactMap { entries[$0] })
        return .commit(outcomes.compactMap(\.self), made: nil)
    }

    /// - Returns: the records by handle; nil if one has changed since it was read.
    private func take(
        _ taken: [Taken], _ scope: Scope, _ transaction: inout Transaction
    ) async throws -> [Handle: Record]? {
        let (records, last) = try await transaction.run(
            TakeReservations(names: taken.map(\.name), change: change),
            LastEvents(handles: taken.map(\.name.handle)))
        let takenOf = Dictionary(taken.map { ($0.name.handle, $0) }) { first, _ in first }
        guard records.count == taken.count, records.allSatisfy({ takenOf[$0.handle]?.version == $0.version }) else {
            return nil
        }
        let areAppended = try await transaction.append(.reserved, records, after: last, scope) { handle in
            (Cause(actor: actor), takenOf[handle]?.original)
        }
        return areAppended ? records.byHandle : nil
    }
}

extension [NameToReserve] {
    /// The marks of the owners that handles are reserved for.
    func marks(in scope: Scope) -> [OwnerMark] { Set(compactMap(\.reservation.owner)).map { scope.mark(of: $0) } }
}

extension NameToReserve {
    /// The outcome without a change, because the handle is reserved already or refused; nil if it can be reserved.
    /// - Parameters:
    ///   - record: the record of the handle, if any.
    ///   - entry: the row of its look-alike key, if any.
    ///   - allowsLookalike: true if the handle may look like a protected one.
    func obstacle(
        _ record: Record?, _ entry: LookalikeEntry?, _ policy: Policy, allowingLookalike allowsLookalike: Bool
    ) -> ChangeOutcome? {
        if let record, record.isReserved { return .already(record) }
        let known = KnownName(record: record, lookalike: allowsLookalike ? nil : entry)
        let decision = Decision.decide(Reading(display), word: nil, known, to: .reserve, policy)
        return decision.isAvailable ? nil : .refused(.decision(decision))
    }
}

extension Transaction {
    /// Adds the writes of changed look-alike keys to the round trip of the commit.
    mutating func put(_ entries: [LookalikeEntry]) {
        let entries = entries.sorted { $0.key < $1.key }
        let plain = entries.filter { $0.names.isEmpty && $0.exempt.isEmpty }
        if !plain.isEmpty { runLast(PutProtectors(entries: plain)) }
        for entry in entries where !entry.names.isEmpty || !entry.exempt.isEmpty {
            runLast(PutLookalike(entry: entry))
        }
    }
}
