import ArgumentParser
import EmbeddedPostgres
import HandleRegistry

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Bring the database's schema up to date.",
        discussion: """
            The service and every command migrate by themselves. Use this command to migrate before a new version \
            starts. Running it again is no error.

            Examples:
              handles migrate
              handles migrate --database-url postgresql://db.example/handles
              handles migrate --distributed --database-url postgresql://node1/handles
            """)

    @OptionGroup var database: DatabaseOptions
    @Flag(help: "Also distribute the tables over the workers of the cluster (docs/operations.md).") var distributed =
        false

    func run() async throws {
        try await CommandEdge.run {
            let settings = try database.settings()
            try await CommandEdge.withPool(settings, as: .writer) { pool in
                let registry = try Registry(pool: pool, policy: settings.policy)
                let applied = try await registry.migrate()
                for migration in applied { Output.note("applied \(migration)") }
                if applied.isEmpty { Output.note("the schema is up to date (version \(Registry.schemaVersion))") }
                if distributed {
                    try await registry.distribute()
                    Output.note("the tables are distributed")
                }
            }
        }
    }
}
