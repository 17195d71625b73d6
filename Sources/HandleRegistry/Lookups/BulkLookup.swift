package import HandleRules
import HandleWords
import Postgres

import struct FoundationEssentials.Date

/// Looks up very many handles: in a copy of the whole registry where that is faster, otherwise with a query for each call.
package struct BulkLookup: Sendable {
    private let registry: Registry
    /// The state of the registry when this was made; nil if each call queries the database.
    private let copy: Copy?

    /// Handles in one call: the server answers within a fraction of a second.
    package static let longest = 100_000
    /// The most handles that are copied: 50 bytes each.
    private static let largestCopy = 4_000_000
    /// Looking up one handle by its key costs as much as copying this many.
    private static let copiedForOneAsked = 5

    /// - Parameter expectedNames: the number of handles that will be looked up, as far as known.
    /// - Throws: `PostgresError`
    package init(_ registry: Registry, expectedNames: Int) async throws {
        self.registry = registry
        // Under the strict policy the keys of all handles in use count: too much to copy.
        let isWorthIt = registry.policy.lookalikes == .protected && expectedNames > Self.longest
        let largest = min(expectedNames * Self.copiedForOneAsked, Self.largestCopy)
        copy = isWorthIt ? try await .all(registry.pool, atMost: largest) : nil
    }

    /// The known names in the order of `handles`; nil for one that is free and has no look-alikes.
    /// - Parameter handles: at most ``longest``.
    /// - Throws: `PostgresError`
    package func known(about handles: [Handle]) async throws -> [KnownName?] {
        precondition(handles.count <= Self.longest, "more names than one call may ask about")
        if handles.isEmpty { return [] }
        if let copy { return handles.map(copy.known) }
        var found = Copy()
        let names = try await registry.pool.run(LookupNames(keys: handles.map { LookalikeKey($0) }))
        found.add(names, registry.policy.lookalikes)
        return handles.map(found.known)
    }
}

extension Registry {
    /// The records of thousands of handles, with the time limit of bulk work.
    func lookUp(_ handles: [Handle]) async throws -> [Handle: Record] {
        try await pool.transaction(
            beginningWith: [LongStatements()], until: .now + LongStatements.longest
        ) { transaction in
            let records = try await transaction.lookUp(handles)
            try await transaction.commit()
            return records
        }
    }
}

/// Handles in use, without what only their owners need.
private struct Copy: Sendable {
    private var states: [PackedASCII: Handle.State] = [:]
    /// The handles because of which others are refused. They are few, except under the strict policy.
    private var kept: [LookalikeKey: [NameInUse]] = [:]

    mutating func add(_ names: [NameInUse], _ lookalikes: Policy.Lookalikes) {
        for name in names {
            states[name.handle.letters] = name.state
            if lookalikes == .strict || name.protection != nil || name.ends {
                kept[LookalikeKey(name.handle), default: []].append(name)
            }
        }
    }

    func known(about handle: Handle) -> KnownName? {
        let state = states[handle.letters]
        guard let names = kept.isEmpty ? nil : kept[LookalikeKey(handle)] else {
            return state.map { KnownName(NameInUse(handle, $0)) }
        }
        let own = names.contains { $0.handle == handle } ? nil : state.map { NameInUse(handle, $0) }
        return KnownName(of: handle, among: names + [own].compactMap(\.self))
    }

    /// Reads all handles in use, page by page; nil if there are more than `largest`.
    static func all(_ pool: Pool, atMost largest: Int) async throws -> Copy? {
        let estimate = try await pool.run(EstimateOfNames()).first ?? 0
        guard estimate <= largest else { return nil }
        var all = Copy()
        all.states.reserveCapacity(max(estimate, 0))
        try await pool.readNamesInUse { names in
            all.add(names, .protected)
            return all.states.count <= largest
        }
        return all.states.count <= largest ? all : nil
    }
}

extension NameInUse {
    /// A handle that is claimed, because of which no other is refused.
    fileprivate init(_ handle: Handle, _ state: Handle.State) {
        self.init(
            handle: handle, state: state, owner: nil, former: nil, hold: nil, protection: nil, isExempt: false,
            ends: false, changedAt: .distantPast, place: 0)
    }
}
