import HandleRegistry
import HandleRules
import HandleWords

/// Finds a repair for every refused name. A repair is valid, free as far as is known, unlike all names of the file, and
/// proposed only once.
struct Repairer {
    private let words: ReservedWords
    private let policy: Policy
    private let fingerprinter: Fingerprinter
    /// Also checked, unless nil.
    private let lookup: BulkLookup?
    /// The names of the whole file and the repairs so far.
    private var taken: DuplicateTable

    /// Rows processed so far.
    private var rows = 0

    init(
        words: ReservedWords, policy: Policy, fingerprinter: Fingerprinter, lookup: BulkLookup?, taken: DuplicateTable
    ) {
        self.words = words
        self.policy = policy
        self.fingerprinter = fingerprinter
        self.lookup = lookup
        self.taken = taken
    }

    /// The repairs for `wanted`, at the same indices; nil where none was found.
    mutating func repairs(for wanted: [[UInt8]]) async throws -> [DisplayHandle?] {
        var repairs = [DisplayHandle?](repeating: nil, count: wanted.count)
        for round in 0..<Self.rounds {
            let open = repairs.indices.filter { repairs[$0] == nil }
            for start in stride(from: 0, to: open.count, by: Self.namesTogether) {
                let part = Array(open[start..<min(start + Self.namesTogether, open.count)])
                let offers = await offers(for: part.map { (wanted[$0], rows + $0) }, round)
                for (place, offered) in zip(part, try await free(offers)) {
                    repairs[place] = try offered.first { try take($0) }
                }
            }
        }
        rows += wanted.count
        return repairs
    }

    /// The first round has few candidates close to the name; later rounds have more and remoter ones.
    private static let rounds = 3
    /// Small enough that the candidates of all these names fit into one look-up.
    private static let namesTogether = 1000
    /// Names for which one task makes the candidates.
    private static let namesForTask = 100

    /// Candidates for some names, without reserved ones; made in parallel.
    private func offers(for wanted: [(name: [UInt8], row: Int)], _ round: Int) async -> [[DisplayHandle]] {
        await withTaskGroup(of: (Int, [[DisplayHandle]]).self) { group in
            for start in stride(from: 0, to: wanted.count, by: Self.namesForTask) {
                let part = wanted[start..<min(start + Self.namesForTask, wanted.count)]
                group.addTask { [words] in
                    let offers = part.map { name, row in
                        Self.candidates(for: name, row, round, words).filter { !words.reach($0.handle) }
                    }
                    return (start, offers)
                }
            }
            var offers = [[DisplayHandle]](repeating: [], count: wanted.count)
            for await (start, part) in group { offers.replaceSubrange(start..<start + part.count, with: part) }
            return offers
        }
    }

    /// Candidates to replace a refused name, the nearest first. Each is well formed.
    /// - Parameter row: its number, so that rows with the same name get different candidates.
    private static func candidates(
        for name: [UInt8], _ row: Int, _ round: Int, _ words: ReservedWords
    ) -> [DisplayHandle] {
        let source = SuggestionSource(typed: String(decoding: name, as: UTF8.self), words: words)
        let seed = SeededGenerator.seed(from: name) &+ UInt64(truncatingIfNeeded: row)
        return switch round {
        case 0: source.cleaned + source.candidates(limit: 6, seed: seed).map(\.display)
        case 1: source.fartherCandidates(limit: 12, seed: seed).map(\.display)
        default: source.fartherCandidates(limit: 96, seed: ~seed).map(\.display)
        }
    }

    /// The candidates that are free in the registry.
    private func free(_ offers: [[DisplayHandle]]) async throws -> [[DisplayHandle]] {
        guard let lookup else { return offers }
        var found = try await lookup.known(about: offers.flatMap { $0.map(\.handle) })[...]
        return offers.map { offered in
            defer { found = found.dropFirst(offered.count) }
            return zip(offered, found).filter { name, known in
                Decision.decide(Reading(name), word: nil, known ?? KnownName(), policy).isAvailable
            }.map(\.0)
        }
    }

    /// Adds the name to the repairs unless the file or an earlier repair has it or a look-alike.
    /// - Returns: true if the name was added.
    private mutating func take(_ name: DisplayHandle) throws -> Bool {
        let handle = name.handle.letters
        return try taken.insertIfNew(
            fingerprinter.fingerprint(name.letters, handle: handle, key: LookalikeKey(handle)), line: 1)
    }
}
