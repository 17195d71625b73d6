package import HandleRules
import HandleWords
import NIOConcurrencyHelpers
import Postgres

import struct FoundationEssentials.Date

/// Reserves a large number of handles. Each handle and its look-alikes are then refused to every owner, except the
/// owner that the reservation is for. Reserved words may be reserved. A handle that is reserved already stays as it is.
/// Safe to repeat.
package struct BulkReserve: Sendable {
    /// The change number of all reservations of this run. They are recognised and undone by it.
    private let change: Int64
    private let registry: Registry
    private let allowsLookalikes: Bool
    private let takes: Bool
    private let actor: String
    /// Called with handles before they are reserved. Another owner may still take one of them first.
    private let note: @Sendable ([Handle]) throws -> Void
    /// Whether a look-up has found records; nil before the first one. Once one has, each COPY comes after a look-up,
    /// because the rows of a COPY that fails stay in the tables until a vacuum.
    private let hasFound = NIOLockedValueBox<Bool?>(nil)
    /// Nil to make the changes.
    private let dryRun: DryRun?
    /// For each table, one COPY at a time. Two would insert into the same pages of its indexes, and leave them half empty.
    private let copies = (names: AsyncMutex(), events: AsyncMutex())

    /// Handles looked up in one statement.
    static let lookedUpAtOnce = 10_000
    private static let decidedAtOnce = 5000
    /// Smaller batches are not copied: they are decided one by one.
    private static let leastCopied = 100
    /// Number of COPY attempts that may fail because a row exists, before handles are decided one by one.
    private static let maxCopies = 3

    /// - Parameters:
    ///   - allowsLookalikes: true if handles may look like protected ones.
    ///   - takes: true to take handles from their owners.
    ///   - isDryRun: true to find the outcomes that the reservations would have, and change nothing.
    ///   - note: called with ``change`` and the handles about to be reserved, by several tasks. Another owner may still
    ///     take one of them first. Reservations that the caller writes down here can be undone, even after a crash.
    package init(
        _ registry: Registry, allowingLookalikes allowsLookalikes: Bool = false, taking takes: Bool = false,
        actor: String, isDryRun: Bool = false,
        noting note: @escaping @Sendable (_ names: [Handle], _ change: Int64) throws -> Void = { _, _ in }
    ) {
        self.registry = registry
        let change = newChange()
        self.change = change
        self.note = { try note($0, change) }
        self.allowsLookalikes = allowsLookalikes
        self.takes = takes
        self.actor = actor
        dryRun = isDryRun ? DryRun(registry) : nil
    }

    /// Reserves handles with the same outcomes as one after the other. New handles, without a record of themselves or a
    /// look-alike, are copied together. The others are reserved in groups, each handle decided under the lock of its
    /// look-alike key.
    ///
    /// Several calls may run at once if no handle of one looks like a handle of another.
    /// - Parameters:
    ///   - names: no handle twice.
    ///   - areKnown: true if most of them are certain to have a record of themselves or a look-alike.
    /// - Throws: `PostgresError`, and errors of `note`; repeating is safe.
    package func reserve(_ names: [NameToReserve], areKnown: Bool = false) async throws -> [Reserved] {
        if let dryRun { return try await dryRun.perform(names.map(reserve)) }
        var outcomes = [Reserved?](repeating: nil, count: names.count)
        if areKnown || names.count < Self.leastCopied {
            _ = try await look(Array(names.indices), names, &outcomes)
        } else {
            try await reserveFresh(names, &outcomes)
        }
        let left = outcomes.indices.filter { outcomes[$0] == nil }
        for start in stride(from: 0, to: left.count, by: Self.decidedAtOnce) {
            let part = left[start..<min(start + Self.decidedAtOnce, left.count)]
            try note(part.map { names[$0].handle })
            try await decide(part, of: names, &outcomes)
        }
        return outcomes.compactMap(\.self)
    }

    /// Decides about names in one transaction, or in two if others keep changing some of the names: each change lets an
    /// attempt fail.
    private func decide(
        _ part: ArraySlice<Int>, of names: [NameToReserve], _ outcomes: inout [Reserved?]
    ) async throws {
        do {
            let reserved = try await registry.writes.write(part.map { reserve(names[$0]) }, isLong: true)
            for (index, outcome) in zip(part, reserved) { outcomes[index] = outcome }
        } catch let error as PostgresError where error.code == .overloaded && part.count > 1 {
            let middle = part.startIndex + part.count / 2
            try await decide(part[..<middle], of: names, &outcomes)
            try await decide(part[middle...], of: names, &outcomes)
        }
    }

    private func reserve(_ name: NameToReserve) -> Reserve {
        Reserve(name: name, allowsLookalike: allowsLookalikes, takes: takes, actor: actor, number: change)
    }

    /// Copies all new handles, and sets the outcomes that are certain for the others.
    private func reserveFresh(_ names: [NameToReserve], _ outcomes: inout [Reserved?]) async throws {
        var fresh = Self.firstOfEachKey(names)
        var looks = hasFound.withLockedValue { $0 != false }
        for _ in 0..<Self.maxCopies {
            if looks {
                let before = fresh.count
                fresh = try await look(fresh, names, &outcomes)
                hasFound.withLockedValue { $0 = $0 == true || fresh.count < before }
            }
            if fresh.isEmpty { return }
            do {
                let copied = fresh.map { names[$0] }
                try note(copied.map(\.handle))
                let now = try await copy(copied)
                for index in fresh {
                    outcomes[index] = Reserved(.done(names[index].record(version: 1, change: change, at: now)))
                }
                return
            } catch let error as PostgresError where error.isDuplicate {
                // One of them has a row: look up which.
                looks = true
            }
        }
    }

    /// The indices of the handles, without look-alikes of earlier ones.
    private static func firstOfEachKey(_ names: [NameToReserve]) -> [Int] {
        let keyed = names.indices.map { (key: names[$0].key, index: $0) }
            .sorted { ($0.key, $0.index) < ($1.key, $1.index) }
        return keyed.indices.filter { $0 == 0 || keyed[$0 - 1].key != keyed[$0].key }.map { keyed[$0].index }
    }

    /// - Returns: the time of the change.
    private func copy(_ names: [NameToReserve]) async throws -> Date {
        let scope = try await registry.writes.scope()
        // The time of an attempt without a reply to its COMMIT.
        var unacknowledged: Date?
        do {
            return try await registry.pool.transaction(
                beginningWith: [LongStatements()], until: .now + LongStatements.longest
            ) { try await copy(names, scope, &unacknowledged, &$0) }
        } catch let error as PostgresError where error.isDuplicate {
            // The rows may be those of that attempt. It is over, because the server has waited for its rows.
            guard let now = unacknowledged, let first = names.first?.record(version: 1, change: change, at: now),
                try await isConfirmed(first, scope)
            else { throw error }
            return now
        }
    }

    private func copy(
        _ names: [NameToReserve], _ scope: Scope, _ unacknowledged: inout Date?, _ transaction: inout Transaction
    ) async throws -> Date {
        let (_, times) = try await transaction.run(LockOwners(marks: names.marks(in: scope)), TransactionTime())
        guard let now = times.first else {
            throw PostgresError(.unreadable, "the server did not tell its time")
        }
        let fresh = FreshReservations(names, change: change, actor: actor, at: now, scope)
        try await copies.names.wait { try await transaction.copy(fresh.records()) }
        try await copies.events.wait { try await transaction.copy(fresh.events()) }
        transaction.runLast(NoteForFeed(rows: names.map { OutboxRow(at: now, version: 1, handle: $0.handle) }))
        unacknowledged = now
        try await transaction.commit()
        return now
    }

    /// True if this version of a record was made, and can't be lost any more.
    private func isConfirmed(_ made: Record, _ scope: Scope) async throws -> Bool {
        while true {
            let version = try await registry.pool.transaction { transaction in
                let version = try await transaction.version(withMade: made, scope)
                try await transaction.commit()
                return version
            }
            guard let version else { return false }
            if try await !registry.pool.run(Confirm(handle: made.handle, version: version)).isEmpty { return true }
        }
    }

    /// Looks handles up and sets the outcomes that are certain.
    /// - Returns: the indices of new handles.
    private func look(
        _ indices: [Int], _ names: [NameToReserve], _ outcomes: inout [Reserved?]
    ) async throws -> [Int] {
        var fresh: [Int] = []
        let scope = try await registry.writes.scope()
        var there: Record?
        for start in stride(from: 0, to: indices.count, by: Self.lookedUpAtOnce) {
            let part = indices[start..<min(start + Self.lookedUpAtOnce, indices.count)]
            let found = try await registry.lookUp(part.map { names[$0].handle }).values
            let records = Dictionary(grouping: found) { LookalikeKey($0.handle) }
            for index in part {
                let name = names[index]
                guard let records = records[name.key] else {
                    fresh.append(index)
                    continue
                }
                let record = records.first { $0.handle == name.handle }
                if let record, record.isReserved { there = record }
                if let record, record.isReserved, record.change == change {
                    outcomes[index] = Reserved(.done(record))
                } else {
                    let known = KnownName(of: name.handle, among: records.compactMap { NameInUse($0) })
                    outcomes[index] = name.obstacle(
                        record, known, scope, allowingLookalike: allowsLookalikes, taking: takes
                    ).map { Reserved($0) }
                }
            }
        }
        // Force a synchronous commit before reporting reservations that exist already.
        if let there { _ = try await registry.pool.run(Confirm(handle: there.handle, version: there.version)) }
        return fresh
    }
}

extension [NameToReserve] {
    /// The marks of the owners that handles are reserved for.
    fileprivate func marks(in scope: Scope) -> [OwnerMark] {
        Set(compactMap(\.reservation.owner)).map { scope.mark(of: $0) }
    }
}
