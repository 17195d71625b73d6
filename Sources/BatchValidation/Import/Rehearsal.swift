import HandleCore
import HandleRegistry

/// Says what reserving names would come to, and changes nothing.
struct Rehearsal {
    private let registry: Registry
    private let allowsLookalikes: Bool
    /// The names that would be reserved by now, for those that look like them.
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
