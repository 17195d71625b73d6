package import HandleCore
import Postgres

/// What the registry knows of one of very many names.
package struct BulkFinding: Sendable {
    /// Nil when nobody has it.
    let state: State?
    private let box: Box?

    var lookalike: LookalikeEntry? { box?.entry }

    /// Few names have an entry, which is large.
    private final class Box: Sendable {
        let entry: LookalikeEntry
        init(_ entry: LookalikeEntry) { self.entry = entry }
    }

    /// Nil when nothing is known.
    init?(state: State?, lookalike: LookalikeEntry?) {
        if state == nil && lookalike == nil { return nil }
        (self.state, box) = (state, lookalike.map(Box.init))
    }
}

/// Looks up very many names: in a copy of the whole registry where that is quicker, else with a query for each hundred
/// thousand.
package struct BulkLookup: Sendable {
    private let registry: Registry
    /// All that the registry knows, as it was when this was made; nil when it is asked each time.
    private let copy: KnownNames?

    /// How many names one call may ask about: the server answers within a fraction of a second.
    package static let longest = 100_000
    /// The most names of which a copy is made: 50 bytes each.
    private static let largestCopy = 4_000_000
    /// To find a name by its key costs as much as to copy so many.
    private static let copiedForOneAsked = 5

    /// - Parameter expectedNames: how many names will be asked about, as far as is known.
    /// - Throws: `PostgresError`
    package init(_ registry: Registry, expectedNames: Int) async throws {
        self.registry = registry
        // Under the strict policy every name in use has a look-alike key to be compared: too much to copy.
        let isWorthIt = registry.policy.lookalikes == .protected && expectedNames > Self.longest
        let largest = min(expectedNames * Self.copiedForOneAsked, Self.largestCopy)
        copy = isWorthIt ? try await .all(registry.pool, atMost: largest) : nil
    }

    /// What is known of `handles`, at the same places; nil where nothing may stand against a name.
    /// - Parameter handles: ``longest`` at most.
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
        var known = KnownNames()
        known.add(states)
        known.add(entries)
        return handles.map(known.finding)
    }
}

/// Names in use and look-alike keys.
private struct KnownNames: Sendable {
    private var states: [PackedASCII: State] = [:]
    private var entries: [LookalikeKey: LookalikeEntry] = [:]

    mutating func add(_ rows: [LookupStates.Row]) { for (handle, state) in rows { states[handle] = state } }
    mutating func add(_ rows: [LookalikeEntry]) { for entry in rows { entries[entry.key] = entry } }

    func finding(_ handle: Handle) -> BulkFinding? {
        BulkFinding(
            state: states[handle.letters], lookalike: entries.isEmpty ? nil : entries[LookalikeKey(handle)])
    }

    /// Reads all names in use and all protected keys, page by page; nil when there are more than `largest` of them.
    static func all(_ pool: Pool, atMost largest: Int) async throws -> KnownNames? {
        let estimate = try await pool.run(EstimateOfHandles()).first ?? 0
        guard estimate <= largest else { return nil }
        var all = KnownNames()
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
