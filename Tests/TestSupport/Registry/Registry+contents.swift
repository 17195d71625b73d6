package import HandleRegistry
import Postgres

/// The lines of the registry's archive.
package func lines(_ registry: Registry, withHistory: Bool = false) async throws -> [String] {
    var bytes: [UInt8] = []
    _ = try await registry.export(withHistory: withHistory) { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
}

/// The discrepancies that `verify` reports, each as its subject and kind.
package func discrepancies(_ registry: Registry) async throws -> [String] {
    var found: [String] = []
    _ = try await registry.verify { found.append("\($0.subject) \($0.kind.rawValue)") }
    return found
}

/// The database of a registry, without its rules.
extension Registry {
    package var database: String { pool.configuration.conninfo }

    package func execute(_ sql: String) async throws { try await TestSupport.execute(sql, on: database) }

    /// The number in the first row of a query; -1 without rows.
    package func number(_ sql: String) async throws -> Int64 { try await TestSupport.number(sql, on: database) }

    /// The number of connections that wait for a lock.
    package func waitingForLocks() async throws -> Int64 { try await TestSupport.waitingForLocks(on: database) }

    /// Inserts claimed names, without their other rows and without telling the registry, as another program would.
    package func insert(_ names: some Sequence<String>) async throws {
        try await execute(
            """
            INSERT INTO handles (handle, state, owner, version, change, changed_at)
            SELECT name, 'c', 'o', 1, 1, now() FROM unnest('{\(names.joined(separator: ","))}'::text[]) name
            """)
    }
}
