import HandleRegistry
import Hummingbird

/// What a supervisor asks: does the process live, can it do its work, what is it.
struct HealthController: Sendable {
    let registry: Registry
    let gate: Gate

    func addRoutes<Context: RequestContext>(to routes: inout Routes<Context>) {
        routes.add(.get, "/livez") { _, _ in .text("ok\n") }
        routes.add(.get, "/readyz") { _, _ in try await ready() }
        routes.add(.get, "/version") { _, _ in
            .json { json in
                json.object { json in
                    json.member("version", Version.current)
                    json.member("schema", Registry.schemaVersion)
                }
            }
        }
    }

    private func ready() async throws -> Response {
        guard !gate.isDraining else { throw Problem.unavailable(.draining, "The service is about to stop.") }
        guard try await registry.isReady() else {
            throw Problem.unavailable(
                .notReady, "The database does not have the schema of this version of the program.")
        }
        return .text("ready\n")
    }
}
