public import HandleCore
import Postgres

/// What the registry knows of one of very many names.
public struct BulkFinding: Sendable {
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

/// Looks up very many names: in a copy of the whole registry where that is smaller than the names, else with a query
/// for each hundred thousand.
public struct BulkLookup: Sendable {
    private let registry: Registry
    private let copy: RegistryCopy?

    /// How many names one call may ask about: the server answers within a fraction of a second.
    public static let longest = 100_000
    /// The most names of which a copy is made: 50 bytes each.
    private static let largestCopy = 4_000_000

    /// - Parameter expectedNames: how many names will be asked about, as far as is known.
    /// - Throws: `PostgresError`
    public init(_ registry: Registry, expectedNames: Int) async throws {
        self.registry = registry
        // Under the strict policy every name in use has a look-alike key to be compared: too much to copy.
        let isWorthIt = registry.policy.lookalikes == .protected && expectedNames > Self.longest
        copy =
            isWorthIt ? try await RegistryCopy.make(registry.pool, largest: min(expectedNames, Self.largestCopy)) : nil
    }

    /// What is known of `handles`, at the same places; nil where nothing may stand against a name.
    ///
    /// The server finds each by its key. They are asked for in the order of the index, in which the next is near the
    /// last: in any other order it takes twice as long.
    /// - Parameter handles: ``longest`` at most.
    /// - Throws: `PostgresError`
    public func findings(about handles: [Handle]) async throws -> [BulkFinding?] {
        precondition(handles.count <= Self.longest, "more names than one call may ask about")
        if handles.isEmpty { return [] }
        if let copy { return handles.map(copy.finding) }
        let sorted = handles.enumerated().map { (letters: $1.letters, place: $0) }.sorted { $0.letters < $1.letters }
        let states = LookupStates(handles: sorted.map(\.letters))
        let keys = handles.map { LookalikeKey($0) }
        let (taken, entries) =
            switch registry.policy.lookalikes {
            case .protected: try await registry.pool.run(pipeline: states, LookupProtectors(keys: keys))
            case .strict: try await registry.pool.run(pipeline: states, LookupLookalikes(keys: keys))
            }
        var found = [State?](repeating: nil, count: handles.count)
        for (place, state) in taken { found[sorted[place].place] = state }
        let lookalikes = Dictionary(entries.map { ($0.key, $0) }) { first, _ in first }
        return handles.indices.map {
            BulkFinding(state: found[$0], lookalike: lookalikes.isEmpty ? nil : lookalikes[keys[$0]])
        }
    }
}

/// All names in use and all protected look-alike keys, as they were while it was made.
private struct RegistryCopy: Sendable {
    private var states: [PackedASCII: State] = [:]
    private var protectors: [LookalikeKey: LookalikeEntry] = [:]

    /// Reads the registry page by page; nil when it has more than `largest` names.
    static func make(_ pool: Pool, largest: Int) async throws -> RegistryCopy? {
        let estimate = try await pool.run(EstimateOfHandles()).first ?? 0
        guard estimate <= largest else { return nil }
        var copy = RegistryCopy()
        var last = PackedASCII()
        while true {
            let page = try await pool.run(StatesPage(after: last))
            if copy.states.isEmpty {
                copy.states.reserveCapacity(page.count < StatesPage.size ? page.count : max(estimate, 0))
            }
            for (handle, state) in page { copy.states[handle] = state }
            guard copy.states.count <= largest else { return nil }
            guard let end = page.last, page.count == StatesPage.size else { break }
            last = end.handle
        }
        last = PackedASCII()
        while true {
            let page = try await pool.run(ProtectorsPage(after: last))
            for entry in page { copy.protectors[entry.key] = entry }
            guard copy.protectors.count <= largest else { return nil }
            guard let end = page.last, page.count == ProtectorsPage.size else { return copy }
            last = end.key.letters
        }
    }

    func finding(_ handle: Handle) -> BulkFinding? {
        BulkFinding(
            state: states[handle.letters], lookalike: protectors.isEmpty ? nil : protectors[LookalikeKey(handle)])
    }
}
