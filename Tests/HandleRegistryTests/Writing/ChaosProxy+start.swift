import HandleRegistry
import Postgres
import TestSupport

extension ChaosProxy {
    /// A registry behind a new proxy, which is calm.
    static func start(
        configure: (inout Pool.Configuration) -> Void = { _ in }
    ) async throws -> (ChaosProxy, Registry, database: String) {
        let database = try await TestCluster.shared.freshDatabase()
        let proxy = try ChaosProxy(to: database)
        let pool = patientPool(proxy.conninfo(database), configure: configure)
        let registry = try Registry(pool: pool, policy: .unlimited)
        // Until the first connection is open, however busy the machine is.
        while true {
            do {
                _ = try await registry.claim("warm_up_f", for: owner("zero"))
                return (proxy, registry, database)
            } catch let error as PostgresError where error.isTransient {}
        }
    }
}
