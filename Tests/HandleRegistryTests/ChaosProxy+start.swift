import HandleRegistry
import Postgres
import TestSupport

extension ChaosProxy {
    /// A registry behind a proxy that is calm for now.
    /// - Parameter session: SQL for each new connection.
    static func start(
        timeout: Duration = .seconds(60), session: String = ""
    ) async throws -> (ChaosProxy, Registry, database: String) {
        let database = try await TestCluster.shared.freshDatabase()
        let proxy = ChaosProxy(to: database)
        var configuration = Pool.Configuration(
            conninfo: proxy.conninfo(database), statementTimeout: timeout, sessionScript: session)
        configuration.timeout = timeout
        let registry = try Registry(pool: Pool(configuration), policy: .unlimited)
        // However busy the machine is with other tests.
        while true {
            do {
                _ = try await registry.claim("warm_up_f", for: owner("zero"))
                return (proxy, registry, database)
            } catch let error as PostgresError where error.isTransient {}
        }
    }
}
