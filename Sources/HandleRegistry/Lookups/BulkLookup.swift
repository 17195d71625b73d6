package import HandleRules
import HandleWords
import Postgres

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
        let keys = handles.map { LookalikeKey($0) }
        let (states, entries) =
            switch registry.policy.lookalikes {
            case .protected:
                try await registry.pool.run(pipeline: LookupStates(handles: handles), LookupProtectors(keys: keys))
            case .strict:
                try await registry.pool.run(pipeline: LookupStates(handles: handles), LookupLookalikes(keys: keys))
            }
        var found = Copy()
        found.add(states)
        found.add(entries)
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

/// Handles in use, and look-alike keys.
private struct Copy: Sendable {
    private var states: [PackedASCII: Handle.State] = [:]
    private var entries: [LookalikeKey: LookalikeEntry] = [:]

    mutating func add(_ rows: [LookupStates.Row]) { for (handle, state) in rows { states[handle] = state } }
    mutating func add(_ rows: [LookalikeEntry]) { for entry in rows { entries[entry.key] = entry } }

    func known(about handle: Handle) -> KnownName? {
        let state = states[handle.letters]
        let entry = entries.isEmpty ? nil : entries[LookalikeKey(handle)]
        return state == nil && entry == nil ? nil : KnownName(state: state, lookalike: entry)
    }

    /// Reads all handles in use and all protected keys, page by page; nil if there are more than `largest`.
    static func all(_ pool: Pool, atMost largest: Int) async throws -> Copy? {
        let estimate = try await pool.run(EstimateOfHandles()).first ?? 0
        guard estimate <= largest else { return nil }
        var all = Copy()
        all.states.reserveCapacity(max(estimate, 0))
        var last: PackedASCII? = PackedASCII()
        while let after = last {
            let page = try await pool.run(StatesPage(after: after))
            all.add(page)
            guard all.states.count <= largest else { return nil }
            last = page.count == StatesPage.largest ? page.last?.handle : nil
        }
        last = PackedASCII()
        while let after = last {
            let page = try await pool.run(ProtectorsPage(after: after))
            all.add(page)
            guard all.entries.count <= largest else { return nil }
            last = page.count == ProtectorsPage.size ? page.last?.key.letters : nil
        }
        return all
    }
}
