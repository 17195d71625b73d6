import HandleRegistry
import Hummingbird

/// Health and version routes for supervisors: `/livez`, `/readyz` and `/version`.
struct HealthController: Sendable {
    let registry: Registry
    let drain: Drain
    /// Database check of `/readyz`. Concurrent requests share one check: the route is not rate limited and must not use
    /// up the connections that claims need.
    private let readiness = SingleFlight<Bool>()

    func addRoutes(to routes: inout Routes) {
        routes.add(.get, "/livez") { _, _ in .text("ok\n") }
        routes.add(.get, "/readyz") { _, _ in try await ready() }
        routes.add(.get, "/version") { _, _ in
            .json { json in
                json.object { json in
                    json.member("version", Version.current)
                    json.member("schema", Registry.schemaVersion)
                    json.key("traits")
                    json.array { json in for trait in PackageTrait.builtIn { json.string(trait) } }
                }
            }
        }
    }

    private func ready() async throws -> Response {
        try refuseWhileDraining()
        guard try await readiness.run({ [registry] in try await registry.isReady() }) else {
            throw Problem.unavailable(
                .notReady,
                "The database schema does not match this version of the program; run 'handles migrate' or upgrade the "
                    + "program.")
        }
        // Draining may have started during the check.
        try refuseWhileDraining()
        // Checks need no writes, so the service stays in the load balancer.
        return .text(
            registry.writeHealth.isRefused ? "ready for checks only: the database refuses writes\n" : "ready\n")
    }

    private func refuseWhileDraining() throws {
        guard !drain.hasBegun else {
            throw Problem.unavailable(.draining, "The service is draining before it stops; use another instance.")
        }
    }
}
