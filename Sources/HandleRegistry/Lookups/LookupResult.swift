import HandleCore

/// The result of a look-up of some handles. It is usually empty, because most handles are free.
struct LookupResult: Sendable {
    private let names: [Handle: KnownName]
    private let entries: [LookalikeKey: LookalikeEntry]
    /// Changes after this moment may be missing, because a replica answered; nil if the primary did.
    let asOf: ContinuousClock.Instant?

    static let empty = LookupResult([], [])

    init(
        _ names: [(handle: Handle, known: KnownName)], _ entries: [LookalikeEntry],
        asOf: ContinuousClock.Instant? = nil
    ) {
        self.asOf = asOf
        self.names = Dictionary(names.map { ($0.handle, $0.known) }) { first, _ in first }
        self.entries = Dictionary(entries.map { ($0.key, $0) }) { first, _ in first }
    }

    func known(about handle: Handle) -> KnownName {
        var known = (names.isEmpty ? nil : names[handle]) ?? KnownName()
        if !entries.isEmpty { known.lookalike = entries[LookalikeKey(handle)] }
        return known
    }
}
