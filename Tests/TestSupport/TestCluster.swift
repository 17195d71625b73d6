import EmbeddedPostgres
import Foundation
public import HandleRegistry
public import Postgres

/// One real PostgreSQL for all tests of the process, made when the first one asks and gone when the process ends.
public actor TestCluster {
    public static let shared = TestCluster()

    private var starting: Task<String, any Error>?
    private var template: Task<Void, any Error>?
    private var lastDatabase = 0

    /// A connection string for a new database with the schema, of which nobody else knows.
    public func freshDatabase() async throws -> String {
        let conninfo = try await start()
        if template == nil {
            template = Task {
                try await run("CREATE DATABASE template_handles", on: conninfo)
                let pool = patientPool(Self.named("template_handles", conninfo))
                try await Registry(pool: pool).migrate()
                await pool.close()
            }
        }
        try await template?.value
        return try await create("TEMPLATE template_handles", conninfo)
    }

    /// A connection string for a new database without the schema.
    public func emptyDatabase() async throws -> String {
        try await create("TEMPLATE template0", try await start())
    }

    private func create(_ options: String, _ conninfo: String) async throws -> String {
        lastDatabase += 1
        let name = "test_\(lastDatabase)"
        try await run("CREATE DATABASE \(name) \(options)", on: conninfo)
        return Self.named(name, conninfo)
    }

    private static func named(_ database: String, _ conninfo: String) -> String {
        conninfo.replacingOccurrences(of: "dbname=handles", with: "dbname=\(database)")
    }

    private func run(_ sql: String, on conninfo: String) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        let connection = try await Connection.open(conninfo, until: deadline)
        try await connection.run(script: sql, until: deadline)
        await connection.close()
    }

    private func start() async throws -> String {
        if let starting { return try await starting.value }
        let folder = TemporaryFolder.forProcess("cluster")
        // Nothing here must survive a power cut, and tests should be quick.
        let postgres = try EmbeddedPostgres(
            folder: folder, settings: ["fsync=off", "synchronous_commit=off", "max_connections=300"])
        let task = Task {
            try await withCheckedThrowingContinuation { continuation in
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
        starting = task
        return try await task.value
    }
}

extension Policy {
    /// The usual policy but for the number of handles of an owner, which has no limit.
    public static var unlimited: Policy {
        var policy = Policy()
        policy.perOwner = 0
        return policy
    }
}

/// A registry on a fresh database.
public func freshRegistry(policy: Policy = .unlimited) async throws -> Registry {
    try Registry(pool: patientPool(try await TestCluster.shared.freshDatabase()), policy: policy)
}

/// A pool that does not mind how busy the machine is with other tests.
public func patientPool(_ conninfo: String) -> Pool {
    var configuration = Pool.Configuration(
        conninfo: conninfo, statementTimeout: .seconds(60), sessionScript: Registry.sessionScript)
    configuration.timeout = .seconds(60)
    return Pool(configuration)
}
