import HandleCore
import HandleRegistry

/// Dry run of reserving handles. Changes nothing.
struct Rehearsal {
    private let registry: Registry
    private let allowsLookalikes: Bool
    /// Handles that would be reserved by now, by look-alike key: later look-alikes depend on them.
    private var reserved: [LookalikeKey: Handle] = [:]

    init(registry: Registry, allowsLookalikes: Bool) {
        self.registry = registry
        self.allowsLookalikes = allowsLookalikes
    }

    /// - Throws: `PostgresError`
    mutating func rehearse(_ lot: Lot) async throws -> [ReservedRow] {
        var rows = lot.rows
        let outcomes = try await registry.outcomesToReserve(
            lot.names.map(\.name), allowingLookalikes: allowsLookalikes, afterReserving: &reserved)
        for (open, outcome) in zip(lot.names, outcomes) { rows[open.row].take(outcome) }
        return rows
    }
}
