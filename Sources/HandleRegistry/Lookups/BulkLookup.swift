package import HandleCore
import Postgres

/// The state and the look-alike key of one handle, from a bulk look-up.
package struct BulkFinding: Sendable {
    /// Nil if the handle is free.
    let state: State?
    private let box: Box?

    var lookalike: LookalikeEntry? { box?.entry }

    /// Few handles have an entry, and entries are large.
    private final class Box: Sendable {
        let entry: LookalikeEntry
        init(_ entry: LookalikeEntry) { self.entry = entry }
    }

    /// Nil if there is neither.
    init?(state: State?, lookalike: LookalikeEntry?) {
        if state == nil && lookalike == nil { return nil }
        (self.state, box) = (state, lookalike.map(Box.init))
    }

    /// The finding, which was about this handle, for a decision.
    package func known(about handle: Handle) -> KnownName {
        let standing = state.map { Standing(handle: handle, state: $0, owner: nil, former: nil, hold: nil) }
        return KnownName(standing: standing, lookalike: lookalike)
    }
}

/// Looks up very many handles: in a copy of the whole registry where that is faster, otherwise with one query for each
/// 100,000 handles.
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

    /// Findings in the order of `handles`; nil where there are none.
    /// - Parameter handles: at most ``longest``.
    /// - Throws: `PostgresError`
    package func findings(about handles: [Handle]) async throws -> [BulkFinding?] {
        precondition(handles.count <= Self.longest, "more names than one call may ask about")
        if handles.isEmpty { return [] }
        if let copy { return handles.map(copy.finding) }
        let keys = handles.map { LookalikeKey($0) }
        let (states, entries) =
            switch registry.policy.lookalikes {
            case .protected:
                try await registry.pool.run(pipeline: LookupStates(handles: handles), LookupProtectors(keys: keys))
            case .strict:
                try await registry.pool.run(pipeline: LookupStates(handles: handles), LookupLookalikes(keys: keys))
            }
        var known = Copy()
        known.add(states)
        known.add(entries)
        return handles.map(known.finding)
    }
}

/// Handles in use, and look-alike keys.
private struct Copy: Sendable {
    private var states: [PackedASCII: State] = [:]
    private var entries: [LookalikeKey: LookalikeEntry] = [:]

    mutating func add(_ rows: [LookupStates.Row]) { for (handle, state) in rows { states[handle] = state } }
    mutating func add(_ rows: [LookalikeEntry]) { for entry in rows { entries[entry.key] = entry } }

    func finding(_ handle: Handle) -> BulkFinding? {
        BulkFinding(
            state: states[handle.letters], lookalike: entries.isEmpty ? nil : entries[LookalikeKey(handle)])
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
            last = page.count == StatesPage.size ? page.last?.handle : nil
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
