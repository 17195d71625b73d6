import Postgres
import Schema

// Citus is known here, in `distribute.sql`, and where its errors are read (`Postgres/Reported.swift`).

extension Registry {
    /// Distributes the tables over the nodes of a Citus cluster. Tables that are distributed already stay as they are.
    /// - Throws: ``RegistryError`` if the extension Citus is missing; ``PostgresError``.
    package func distribute() async throws {
        let deadline = ContinuousClock.now + Self.migrationTimeout
        try await withOwner(until: deadline) { connection in
            guard try await connection.run(HasCitus(), until: deadline).first == true else {
                throw RegistryError(
                    .unsuitableDatabase,
                    "the extension Citus is missing; as a superuser: CREATE EXTENSION citus, then citus_add_node for each "
                        + "worker")
            }
            try await connection.run(
                script: Self.ownersRights(lockTimeout: Self.longestLockWait) + Script.distribute, until: deadline)
        }
    }

    /// Generic plans, but for Citus, which needs the values to find their node.
    static let plans = """
        SELECT set_config('plan_cache_mode', 'force_generic_plan', false)
        WHERE NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus');
        """
}

/// True if the extension Citus is installed.
private struct HasCitus: Statement {
    static let sql = "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')"
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Bool { try row.boolean() }
}

extension Examination {
    /// How the tables are spread over the nodes of a Citus cluster; nothing on one server.
    func clusterFindings() async throws -> [Finding] {
        guard try await read(HasCitus()) else { return [] }
        let layout = try await read(ClusterLayout())
        guard layout.tables == ClusterLayout.distributed else {
            return [
                .warn(
                    .cluster, "\(layout.tables) of \(ClusterLayout.distributed) large tables are distributed",
                    advice: "run handles migrate --distributed")
            ]
        }
        return [
            .ok(
                .cluster,
                "names by look-alike key in \(layout.shards) shards, events by name, owners by mark; "
                    + "\(layout.nodes) nodes have shards")
        ]
    }
}

/// The numbers of distributed tables, of shards of names, and of nodes.
private struct ClusterLayout: Statement {
    typealias Row = (tables: Int64, shards: Int64, nodes: Int64)

    /// The number of tables in the statement.
    static let distributed = 6
    static let sql = """
        SELECT (SELECT count(*) FROM pg_dist_partition WHERE logicalrelid IN (
                'names'::regclass, 'handle_events'::regclass, 'owners'::regclass, 'owner_events'::regclass,
                'feed_outbox'::regclass, 'idempotency_keys'::regclass)),
            (SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = 'names'::regclass),
            (SELECT count(*) FROM pg_dist_node WHERE isactive AND shouldhaveshards AND noderole = 'primary')
        """

    static func decode(_ row: inout RowReader) throws(PostgresError) -> Row {
        (try row.integer(), try row.integer(), try row.integer())
    }
}
