import HandleCore

/// What a look-up has found about some names: most of the time nothing, as most names are free.
struct Findings: Sendable {
    private let standings: [Handle: Standing]
    private let entries: [LookalikeKey: LookalikeEntry]
    /// Since when there may be changes that a replica did not tell of; nil when the primary was asked.
    let asOf: ContinuousClock.Instant?

    static let nothing = Findings([], [])

    init(_ standings: [Standing], _ entries: [LookalikeEntry], asOf: ContinuousClock.Instant? = nil) {
        self.asOf = asOf
        self.standings = Dictionary(standings.map { ($0.handle, $0) }) { first, _ in first }
        self.entries = Dictionary(entries.map { ($0.key, $0) }) { first, _ in first }
    }

    func knowledge(of handle: Handle) -> Knowledge {
        Knowledge(
            standing: standings.isEmpty ? nil : standings[handle],
            lookalike: entries.isEmpty ? nil : entries[LookalikeKey(handle)])
    }
}
