import HandleRegistry
import Postgres

extension Pool {
    /// Connections of the benchmarks' own, for which no machine is too busy.
    static func patient(_ conninfo: String) -> Pool {
        var configuration = Pool.Configuration(
            conninfo: conninfo, statementTimeout: .seconds(60), sessionScript: Registry.sessionScript)
        configuration.timeout = .seconds(60)
        return Pool(configuration)
    }
}
