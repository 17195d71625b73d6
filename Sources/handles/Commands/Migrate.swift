import ArgumentParser
import HandleRegistry

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring the database's schema up to date.",
        discussion: """
            The service and every command do this themselves; this is for doing it on its own, before a new version
            starts. To run it again is no error.

            Examples:
              handles migrate
              handles migrate --database-url postgresql://db.example/handles
            """)

    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        try await CommandEdge.run {
            let settings = try database.settings()
            try await CommandEdge.withPool(settings, as: .command) { pool in
                let applied = try await Registry(pool: pool, policy: settings.policy).migrate()
                for migration in applied { Output.note("applied \(migration)") }
                if applied.isEmpty { Output.note("the schema is up to date (version \(Registry.schemaVersion))") }
            }
        }
    }
}
