package import HandleRegistry
import HandleRules
import HandleWords
import Postgres
import Testing

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

    /// Inserts claimed names without telling the registry, as another program would.
    package func insert(_ names: some Sequence<String>) async throws { try await insertNames(names, on: database) }
}

/// Inserts claimed names, with look-alike keys of their own, and their first events without a chain.
/// - Parameter owner: returns the owner of a name; nil for a free one.
package func insertNames(
    _ names: some Sequence<String>, on database: String, ownedBy owner: (String) -> String? = { _ in "o" }
) async throws {
    let displays = try names.map { try #require(DisplayHandle($0)) }
    let keys = displays.map { LookalikeKey($0.handle).description }
    func array(_ elements: [String?]) -> String {
        "'{\(elements.map { $0 ?? "NULL" }.joined(separator: ","))}'::text[]"
    }
    let handles = array(displays.map(\.handle.description))
    try await execute(
        """
        INSERT INTO names (key, place, handle, display, state, owner, version, change, changed_at, exempt, last_hash)
        SELECT u.key, row_number() OVER (PARTITION BY u.key) - 1, u.handle, nullif(u.display, u.handle),
            CASE WHEN u.owner IS NULL THEN 'f' ELSE 'c' END, u.owner, 1, row_number() OVER (), now(), false,
            sha256(u.handle::bytea)
        FROM unnest(
            \(array(keys)), \(handles), \(array(displays.map(\.description))),
            \(array(displays.map { owner($0.handle.description) }))
        ) AS u (key, handle, display, owner);
        INSERT INTO handle_events (handle, version, at, action, from_state, to_state, hash, actor)
        SELECT h, 1, now(), 'c', 'f', 'c', sha256(h::bytea), 'test' FROM unnest(\(handles)) AS h
        """, on: database)
}
