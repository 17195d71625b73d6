import HandleRules
import HandleWords
import Postgres

/// Fills a registry's tables with claimed names in batches, as real claims would leave them, but without history, which
/// no check reads.
struct Filling {
    let connection: Connection

    private static let batch = 20_000
    private static let patience = Duration.seconds(120)

    func fill(_ names: [DisplayHandle]) async throws {
        for start in stride(from: 0, to: names.count, by: Self.batch) {
            let part = Array(names[start..<min(start + Self.batch, names.count)])
            let deadline = ContinuousClock.now + Self.patience
            _ = try await connection.run(FillHandles(names: part), until: deadline)
            _ = try await connection.run(FillLookalikes(names: part), until: deadline)
        }
        try await connection.run(script: "VACUUM ANALYZE handles", until: .now + Self.patience)
        try await connection.run(script: "VACUUM ANALYZE lookalike_keys", until: .now + Self.patience)
    }
}

private struct FillHandles: Statement {
    let names: [DisplayHandle]

    static let sql = """
        INSERT INTO handles (handle, display, state, owner, version, change, changed_at)
        SELECT u.handle, nullif(u.display, u.handle), 'c', 'owner-' || u.handle, 1, 1, now()
        FROM unnest($1::text[], $2::text[]) AS u (handle, display)
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(names.map(\.handle.description))
        parameters.add(names.map(\.description))
    }

    typealias Row = NoRow
}

private struct FillLookalikes: Statement {
    let names: [DisplayHandle]

    static let sql = """
        INSERT INTO lookalike_keys (key, names, changed_at)
        SELECT u.key, array_agg(u.handle), now()
        FROM unnest($1::text[], $2::text[]) AS u (key, handle) GROUP BY u.key
        ON CONFLICT (key) DO UPDATE SET names = lookalike_keys.names || EXCLUDED.names
        """

    func bind(to parameters: inout Parameters) {
        parameters.add(names.map { LookalikeKey($0.handle).description })
        parameters.add(names.map(\.handle.description))
    }

    typealias Row = NoRow
}
