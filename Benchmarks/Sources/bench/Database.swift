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

extension Registry {
    /// Makes the tables of a new database.
    static func migrate(_ conninfo: String) async throws {
        let pool = Pool.patient(conninfo)
        try await Registry(pool: pool).migrate()
        await pool.close()
    }
}

/// A statement without parameters that gives one number.
protocol NumberStatement: Statement where Row == Int64 {}

extension NumberStatement {
    func bind(to parameters: inout Parameters) {}
    static func decode(_ row: inout RowReader) throws(PostgresError) -> Int64 { try row.integer() }
}
