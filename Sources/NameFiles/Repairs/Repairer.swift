import HandleRegistry
import HandleRules
import HandleWords

/// Finds a repair for every refused name. A repair is valid, free as far as is known, unlike all names of the file, and
/// proposed only once.
actor Repairer {
    private let words: ReservedWords
    private let policy: Policy
    private let fingerprinter: Fingerprinter
    /// Also checked, unless nil.
    private let lookup: SharedLookup?
    /// The names of the whole file and the repairs so far.
    private var taken: DuplicateTable
    /// Hashes of the names and owners of the rows for which a repair was claimed.
    private var owned: Set<Int> = []

    /// - Parameter memory: the limit for the names, in bytes.
    /// - Throws: ``BatchError``
    init(_ judge: Judge, _ policy: Policy, lookup: SharedLookup?, memory: Int) throws(BatchError) {
        (words, fingerprinter) = (judge.words, judge.fingerprinter)
        (self.policy, self.lookup) = (policy, lookup)
        taken = try DuplicateTable(expectedNames: 0, budget: memory)
    }

    /// Notes names of the file, which are no repairs.
    func avoid(_ names: [IndexedName]) throws {
        for name in names { _ = try taken.insertIfNew(name.fingerprint, line: 1) }
    }

    /// The repairs for `wanted`, at the same indices; nil where none was found. Called for one part of the file after the
    /// other.
    /// - Throws: `PostgresError`; `CancellationError`; ``BatchError`` when the names don't fit into the memory.
    func repairs(for wanted: [WantedRepair]) async throws -> [DisplayHandle?] {
        var repairs = [DisplayHandle?](repeating: nil, count: wanted.count)
        for round in 0..<Self.rounds {
            let open = repairs.indices.filter { repairs[$0] == nil }
            for start in stride(from: 0, to: open.count, by: Self.namesTogether) {
                let part = Array(open[start..<min(start + Self.namesTogether, open.count)])
                try Task.checkCancellation()
                let offers = await offers(for: part.map { wanted[$0] }, round)
                for (place, offered) in zip(part, try await free(offers)) {
                    repairs[place] = try offered.first { try take($0) }
                }
            }
        }
        return repairs
    }

    /// All candidates to replace a name that this did not give to an earlier row.
    func candidates(for wanted: WantedRepair) -> [DisplayHandle] {
        (0..<Self.rounds).flatMap { Self.candidates(for: wanted, $0, words) }.filter {
            !taken.has(fingerprint(of: $0))
        }
    }

    /// Adds the name to the repairs unless the file or an earlier repair has it or a look-alike.
    /// - Returns: true if the name was added.
    func take(_ name: DisplayHandle) throws -> Bool { try taken.insertIfNew(fingerprint(of: name), line: 1) }

    /// Notes that an owner wants a repair of a name.
    /// - Returns: false if the owner did so in an earlier row.
    func note(_ name: ArraySlice<UInt8>, for owner: Owner) -> Bool {
        var hasher = Hasher()
        hasher.combine(name)
        hasher.combine(owner)
        return owned.insert(hasher.finalize()).inserted
    }

    private func fingerprint(of name: DisplayHandle) -> Fingerprint {
        let handle = name.handle.letters
        return fingerprinter.fingerprint(name.letters, handle: handle, key: LookalikeKey(handle))
    }

    /// The first round has few candidates close to the name; later rounds have more and remoter ones.
    private static let rounds = 3
    /// Small enough that the candidates of all these names fit into one look-up.
    private static let namesTogether = 1000
    /// Bytes of a name from which a repair is made.
    private static let longestName = 250
    /// Names for which one task makes the candidates.
    private static let namesForTask = 100

    /// Candidates for some names, without reserved ones; made in parallel.
    private func offers(for wanted: [WantedRepair], _ round: Int) async -> [[DisplayHandle]] {
        await withTaskGroup(of: (Int, [[DisplayHandle]]).self) { group in
            for start in stride(from: 0, to: wanted.count, by: Self.namesForTask) {
                let part = wanted[start..<min(start + Self.namesForTask, wanted.count)]
                group.addTask { [words] in
                    let offers = part.map { wanted in
                        Self.candidates(for: wanted, round, words).filter { !words.reach($0.handle) }
                    }
                    return (start, offers)
                }
            }
            var offers = [[DisplayHandle]](repeating: [], count: wanted.count)
            for await (start, part) in group { offers.replaceSubrange(start..<start + part.count, with: part) }
            return offers
        }
    }

    /// Candidates to replace a refused name, the nearest first. Each is well formed. They depend on the name and the seed.
    private static func candidates(for wanted: WantedRepair, _ round: Int, _ words: ReservedWords) -> [DisplayHandle] {
        let name = Array(wanted.name.prefix(longestName))
        let source = SuggestionSource(typed: String(decoding: name, as: UTF8.self), words: words)
        let seed = SeededGenerator.seed(from: name) &+ wanted.seed
        return switch round {
        case 0: source.cleaned + source.candidates(limit: 6, seed: seed).map(\.display)
        case 1: source.fartherCandidates(limit: 12, seed: seed).map(\.display)
        default: source.fartherCandidates(limit: 96, seed: ~seed).map(\.display)
        }
    }

    /// The candidates that are free in the registry.
    private func free(_ offers: [[DisplayHandle]]) async throws -> [[DisplayHandle]] {
        guard let lookup = try await lookup?.lookup(expecting: 0) else { return offers }
        var found = try await lookup.known(about: offers.flatMap { $0.map(\.handle) })[...]
        return offers.map { offered in
            defer { found = found.dropFirst(offered.count) }
            return zip(offered, found).filter { name, known in
                Decision.decide(Reading(name), word: nil, known ?? KnownName(), policy).isAvailable
            }.map(\.0)
        }
    }
}
