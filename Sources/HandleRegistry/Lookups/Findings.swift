import HandleCore

/// The result of a look-up of some handles. It is usually empty, because most handles are free.
struct Findings: Sendable {
    private let standings: [Handle: Standing]
    private let entries: [LookalikeKey: LookalikeEntry]
    /// Changes after this moment may be missing, because a replica answered; nil if the primary did.
    let asOf: ContinuousClock.Instant?

    static let nothing = Findings([], [])

    init(_ standings: [Standing], _ entries: [LookalikeEntry], asOf: ContinuousClock.Instant? = nil) {
        self.asOf = asOf
        self.standings = Dictionary(standings.map { ($0.handle, $0) }) { first, _ in first }
        self.entries = Dictionary(entries.map { ($0.key, $0) }) { first, _ in first }
    }

    func known(about handle: Handle) -> KnownName {
        KnownName(
            standing: standings.isEmpty ? nil : standings[handle],
            lookalike: entries.isEmpty ? nil : entries[LookalikeKey(handle)])
    }
}
