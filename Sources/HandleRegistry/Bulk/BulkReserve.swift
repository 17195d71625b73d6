package import HandleCore
import NIOConcurrencyHelpers
import Postgres

/// Keeps very many names, and whatever looks like them, from everybody but the owners that they are reserved for.
/// Reserved words may be reserved; a name that is reserved already stays as it is. Safe to repeat.
package struct BulkReserve: Sendable {
    /// The number of every change that is made: by it they are known afterwards, and taken back.
    private let change: Int64
    private let registry: Registry
    private let allowsLookalikes: Bool
    private let actor: String
    /// Is given names that are about to be reserved, if nobody else has them by then.
    private let note: @Sendable ([Handle]) throws -> Void
    /// Whether something was known of a name of the last call: then it is worth looking before copying.
    private let looksFirst = NIOLockedValueBox(true)

    /// Names that are looked up or decided in one statement.
    static let lookedUpAtOnce = 10_000
    private static let decidedAtOnce = 5000
    /// Fewer names than these are decided in a group.
    private static let leastCopied = 100
    /// Copies that came too late for a name, before names are decided one by one.
    private static let maxCopies = 3

    /// - Parameters:
    ///   - allowsLookalikes: whether names may look like others that are protected.
    ///   - note: is given names that are about to be reserved, if nobody else has them by then, with ``change``: what is
    ///     written down there can be taken back, whatever happens afterwards. Called by several tasks.
    package init(
        _ registry: Registry, allowingLookalikes allowsLookalikes: Bool = false, actor: String,
        noting note: @escaping @Sendable (_ names: [Handle], _ change: Int64) throws -> Void = { _, _ in }
    ) {
        self.registry = registry
        let change = newChange()
        self.change = change
        self.note = { try note($0, change) }
        self.allowsLookalikes = allowsLookalikes
        self.actor = actor
    }

    /// Reserves names as though one after the other: all together those that nothing is known of, the others in groups,
    /// each decided under the lock of its look-alike key.
    ///
    /// May be called for several lots of names at the same time, when no name looks like one of another lot.
    /// - Parameters:
    ///   - names: no two of the same handle.
    ///   - areKnown: whether something is known of most of their look-alike keys for sure.
    /// - Throws: `PostgresError`, and what noting throws; to repeat it is safe.
    package func reserve(_ names: [NameToReserve], areKnown: Bool = false) async throws -> [ReserveOutcome] {
        var outcomes = [ReserveOutcome?](repeating: nil, count: names.count)
        if areKnown || names.count < Self.leastCopied {
            _ = try await look(Array(names.indices), names, &outcomes)
        } else {
            try await reserveFresh(names, &outcomes)
        }
        let left = outcomes.indices.filter { outcomes[$0] == nil }
        for start in stride(from: 0, to: left.count, by: Self.decidedAtOnce) {
            let part = left[start..<min(start + Self.decidedAtOnce, left.count)]
            try note(part.map { names[$0].handle })
            let group = ReserveGroup(
                names: part.map { names[$0] }, allowsLookalikes: allowsLookalikes, actor: actor, change: change)
            for (index, outcome) in zip(part, try await registry.perform(group)) { outcomes[index] = outcome }
        }
        return outcomes.compactMap(\.self)
    }

    /// Reserves all names together that nothing is known of, and notes what is certain of the others.
    private func reserveFresh(_ names: [NameToReserve], _ outcomes: inout [ReserveOutcome?]) async throws {
        var fresh = Self.firstOfEachKey(names)
        var looks = looksFirst.withLockedValue(\.self)
        for _ in 0..<Self.maxCopies {
            if looks {
                let before = fresh.count
                fresh = try await look(fresh, names, &outcomes)
                looksFirst.withLockedValue { $0 = fresh.count < before }
            }
            if fresh.isEmpty { return }
            do {
                let copied = fresh.map { names[$0] }
                try note(copied.map(\.handle))
                try await copy(copied)
                for index in fresh { outcomes[index] = .reserved(lookalikes: []) }
                return
            } catch let error as PostgresError where error.isDuplicate {
                // Something is known of one of them: look of which.
                looks = true
            }
        }
    }

    /// The places of names without those that look like an earlier one.
    private static func firstOfEachKey(_ names: [NameToReserve]) -> [Int] {
        let keyed = names.indices.map { (key: names[$0].key, index: $0) }
            .sorted { ($0.key, $0.index) < ($1.key, $1.index) }
        return keyed.indices.filter { $0 == 0 || keyed[$0 - 1].key != keyed[$0].key }.map { keyed[$0].index }
    }

    private func copy(_ names: [NameToReserve]) async throws {
        let scope = try await registry.scope()
        try await registry.pool.transaction(beginningWith: [LongStatements()], until: .now + LongStatements.longest) {
            transaction in
            let (_, times) = try await transaction.run(LockOwners(marks: names.marks(in: scope)), TransactionTime())
            guard let now = times.first else { return }
            let fresh = FreshReservations(names, at: now)
            try await transaction.copy(fresh.lookalikes())
            try await transaction.copy(fresh.handles(change: change))
            try await transaction.copy(fresh.events(actor: actor, scope))
            try await transaction.commit()
        }
    }

    /// Looks what is known of names, and notes what is certain.
    /// - Returns: those that nothing is known of.
    private func look(
        _ indices: [Int], _ names: [NameToReserve], _ outcomes: inout [ReserveOutcome?]
    ) async throws -> [Int] {
        var fresh: [Int] = []
        var there: Record?
        for start in stride(from: 0, to: indices.count, by: Self.lookedUpAtOnce) {
            let part = indices[start..<min(start + Self.lookedUpAtOnce, indices.count)]
            let (records, entries) = try await registry.lookUp(part.map { names[$0].handle })
            for index in part {
                let name = names[index]
                let (record, entry) = (records[name.handle], entries[name.key])
                if let record, record.isReserved { there = record }
                if let record, record.isReserved, record.change == change {
                    outcomes[index] = .reserved(lookalikes: [])
                } else if record == nil, entry == nil {
                    fresh.append(index)
                } else {
                    outcomes[index] = name.obstacle(
                        record, entry, registry.policy, allowingLookalike: allowsLookalikes)
                }
            }
        }
        // What is said of names that are there waits for what every commit waits for.
        if let there { _ = try await registry.pool.run(Confirm(handle: there.handle, version: there.version)) }
        return fresh
    }
}

extension Registry {
    /// What is known of thousands of names and of their look-alike keys, however long it takes.
    func lookUp(
        _ handles: [Handle]
    ) async throws -> (records: [Handle: Record], entries: [LookalikeKey: LookalikeEntry]) {
        let (records, entries) = try await pool.transaction(
            beginningWith: [LongStatements()], until: .now + LongStatements.longest
        ) { transaction in
            let found = try await transaction.run(
                LookupMany(handles: handles), LookupLookalikes(keys: handles.map { LookalikeKey($0) }))
            try await transaction.commit()
            return found
        }
        return (
            Dictionary(records.map { ($0.handle, $0) }) { first, _ in first },
            Dictionary(entries.map { ($0.key, $0) }) { first, _ in first }
        )
    }
}

extension PostgresError {
    /// Whether a row was there already.
    fileprivate var isDuplicate: Bool { sqlState == "23505" }
}
