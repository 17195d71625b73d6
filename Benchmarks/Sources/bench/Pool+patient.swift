import HandleRegistry
import Postgres

extension Pool {
    /// A pool for the benchmarks, with timeouts that are long enough for any busy machine.
    static func patient(_ conninfo: String) -> Pool {
        var configuration = Pool.Configuration(
            conninfo: conninfo, statementTimeout: .seconds(60), sessionScript: Registry.sessionScript)
        configuration.timeout = .seconds(60)
        return Pool(configuration)
    }
}
