import HandleRules
import HandleWords
import Postgres

/// Fills a registry's table of names with claimed names in batches, as real claims would leave them, but without history,
/// which no check reads.
struct Filling {
    let connection: Connection

    private static let batch = 20_000
    private static let patience = Duration.seconds(120)

    func fill(_ names: [DisplayHandle]) async throws {
        var counts: [LookalikeKey: Int64] = [:]
        for start in stride(from: 0, to: names.count, by: Self.batch) {
            let rows = names[start..<min(start + Self.batch, names.count)].map { name in
                let key = LookalikeKey(name.handle)
                defer { counts[key, default: 0] += 1 }
                return (name: name, key: key, place: counts[key, default: 0])
            }
            _ = try await connection.run(FillNames(rows: rows), until: .now + Self.patience)
        }
        try await connection.run(script: "VACUUM ANALYZE names", until: .now + Self.patience)
    }
}

private struct FillNames: Statement {
    let rows: [(name: DisplayHandle, key: LookalikeKey, place: Int64)]

    static let sql = """
        INSERT INTO names (key, place, handle, display, state, owner, version, change, changed_at, exempt, last_hash)
        SELECT u.key, u.place, u.handle, nullif(u.display, u.handle), 'c', 'owner-' || u.handle, 1, 1, now(), false,
            sha256(u.handle::bytea)
        FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[]) AS u (key, place, handle, display)
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(rows.map(\.key.description))
        parameters.add(rows.map(\.place))
        parameters.add(rows.map(\.name.handle.description))
        parameters.add(rows.map(\.name.description))
    }

    typealias Row = NoRow
}
