import EmbeddedPostgres
import Foundation
package import HandleRegistry
package import Postgres

/// One real PostgreSQL for all tests of the process, started at the first use and removed when the process ends. With
/// `HANDLES_TEST_CITUS=1` it is a Citus cluster of a coordinator and two workers, and the tables are distributed.
package actor TestCluster {
    package static let shared = TestCluster(
        isDistributed: ProcessInfo.processInfo.environment["HANDLES_TEST_CITUS"] == "1")

    /// A Citus cluster, for tests that need one although the other tests run on a single server.
    package static let citus = TestCluster(isDistributed: true)

    package nonisolated let isDistributed: Bool
    private var starting: Task<[String], any Error>?
    private var distributing: Task<String, any Error>?
    private var lastDatabase = 0

    package init(isDistributed: Bool) { self.isDistributed = isDistributed }

    /// Told of each new database with the schema.
    @TaskLocal package static var observer: @Sendable (_ database: String) -> Void = { _ in }

    /// A connection string for a new database with the schema, for one test.
    package func freshDatabase() async throws -> String {
        let database = try await newDatabase()
        Self.observer(database)
        return database
    }

    private func newDatabase() async throws -> String {
        let nodes = try await start()
        if isDistributed {
            return try await makeDistributed { database in
                let pool = patientPool(database)
                try await Registry(pool: pool).migrate()
                try await Registry(pool: pool).distribute()
                await pool.close()
            }
        }
        lastDatabase += 1
        return try await create("test_\(lastDatabase)", "TEMPLATE handles STRATEGY FILE_COPY", nodes[0])
    }

    /// A connection string for a new database without the schema.
    package func emptyDatabase() async throws -> String {
        if isDistributed { return try await makeDistributed { _ in } }
        let nodes = try await start()
        lastDatabase += 1
        return try await create("test_\(lastDatabase)", "TEMPLATE template0", nodes[0])
    }

    /// Connection strings for a distributed database on its workers.
    package func workers(of database: String) async throws -> [String] {
        let name = database.split(separator: "dbname=").last.map { String($0.prefix { $0 != " " }) } ?? ""
        return try await start().dropFirst().map { Self.named(name, $0) }
    }

    /// Makes a database on all nodes. One at a time: roles and extensions can't be created concurrently.
    private func makeDistributed(_ finish: @escaping @Sendable (String) async throws -> Void) async throws -> String {
        let task = Task { [distributing] in
            _ = try? await distributing?.value
            let nodes = try await start()
            lastDatabase += 1
            let name = "test_\(lastDatabase)"
            for node in nodes {
                // Each database has a process on each node, so old ones are dropped. Tests on Citus run one after the
                // other, so the old databases are not used any more.
                try await run(
                    "DROP DATABASE IF EXISTS \"test_\(lastDatabase - Self.databasesKept)\" WITH (FORCE)",
                    on: Self.named("postgres", node).asSuperuser)
                try await run("CREATE EXTENSION citus", on: create(name, "TEMPLATE template0", node).asSuperuser)
            }
            let database = Self.named(name, nodes[0])
            try await run(
                (["SELECT citus_set_coordinator_host('\(Self.address(0))', 5432);"]
                    + nodes.indices.dropFirst().map { "SELECT citus_add_node('\(Self.address($0))', 5432);" }).joined(),
                on: database.asSuperuser)
            try await finish(database)
            return database
        }
        distributing = task
        return try await task.value
    }

    private static let databasesKept = 40

    private func create(_ name: String, _ options: String, _ conninfo: String) async throws -> String {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            do {
                // The session is in another database: a template must have no sessions.
                try await run("CREATE DATABASE \(name) \(options)", on: Self.named("postgres", conninfo))
                break
            } catch let error as PostgresError where error.sqlState == "55006" && .now < deadline {
                // A session of the template has not ended yet: try again.
            }
        }
        return Self.named(name, conninfo)
    }

    private static func named(_ database: String, _ conninfo: String) -> String {
        conninfo.replacingOccurrences(of: "dbname=handles", with: "dbname=\(database)")
    }

    private func run(_ sql: String, on conninfo: String) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        let connection = try await Connection.open(conninfo, until: deadline)
        try await connection.run(script: sql, until: deadline)
        await connection.close()
    }

    /// Connection strings for the nodes, the coordinator's first.
    private func start() async throws -> [String] {
        if let starting { return try await starting.value }
        let task = Task { [isDistributed] in
            // Without fsync tests are quicker, and no data have to survive a power cut. `synchronous_commit` stays on:
            // with it an acknowledged commit has left the server's own memory, so it survives a crash of the server.
            let settings = ["fsync=off", "autovacuum=off", "max_connections=600"]
            guard isDistributed else {
                try await PreparedCluster.copy(to: TemporaryFolder.forProcess("cluster"))
                return [try await Self.start("cluster", settings)]
            }
            var nodes: [String] = []
            for node in 0..<3 {
                let conninfo = try await Self.start(
                    "citus-\(node)",
                    settings + [
                        "listen_addresses=\(Self.address(node))", "shared_preload_libraries=citus",
                        "max_prepared_transactions=300", "max_worker_processes=400", "citus.shard_count=4",
                        "citus.max_cached_conns_per_worker=1", "citus.node_conninfo=sslmode=prefer",
                        // Each second Citus finishes the prepared transactions that a crash has left on a node.
                        "citus.recover_2pc_interval=1000",
                    ])
                // The nodes log in to each other by address, and some changes of the tests need a superuser.
                try await OpenCluster.open(TemporaryFolder.forProcess("citus-\(node)"), at: conninfo)
                try await run("ALTER ROLE handles SUPERUSER", on: conninfo.asSuperuser)
                nodes.append(conninfo)
            }
            return nodes
        }
        starting = task
        return try await task.value
    }

    /// A loopback address for a node, derived from the process id so that concurrent test runs do not share it.
    private static func address(_ node: Int) -> String {
        let process = Int(getpid())
        return "127.\(process / 250 % 250 + 1).\(process % 250 + 1).\(node + 1)"
    }

    private static func start(_ name: String, _ settings: [String]) async throws -> String {
        let postgres = try EmbeddedPostgres(folder: TemporaryFolder.forProcess(name), settings: settings)
        return try await withCheckedThrowingContinuation { continuation in
            Task.detached {
                do {
                    try await postgres.use(as: .command) { conninfo in
                        continuation.resume(returning: conninfo)
                        try await Task.sleep(for: .seconds(1_000_000))
                    }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }
}

extension Policy {
    /// The default policy without the limit of handles for each owner.
    package static var unlimited: Policy {
        var policy = Policy()
        policy.perOwner = 0
        return policy
    }
}

/// A registry on a fresh database.
/// - Parameter set: changes the policy.
package func freshRegistry(
    policy: Policy = .unlimited, hintsBytes: Int = 0, _ set: (inout Policy) -> Void = { _ in }
) async throws -> Registry {
    var policy = policy
    set(&policy)
    return try Registry(
        pool: patientPool(try await TestCluster.shared.freshDatabase()), policy: policy, hintsBytes: hintsBytes)
}

/// A pool with timeouts of 60 s, so that other tests on a busy machine do not cause a timeout.
package func patientPool(_ conninfo: String, configure: (inout Pool.Configuration) -> Void = { _ in }) -> Pool {
    var configuration = Pool.Configuration(
        conninfo: conninfo, statementTimeout: .seconds(60), sessionScript: Registry.sessionScript)
    configuration.timeout = .seconds(60)
    configure(&configuration)
    return Pool(configuration)
}
