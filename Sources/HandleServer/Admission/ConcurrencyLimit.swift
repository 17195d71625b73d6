import Hummingbird

/// Bounds how much is worked on at a time. A request has its place from when it has come whole to its answer: who sends
/// slowly takes nobody's place.
struct ConcurrencyLimit: RouterMiddleware {
    let gate: Gate
    let limits: ServerLimits

    func handle(
        _ request: Request, context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        guard !context.isAskedBySupervisors, !context.waitsFirst(request) else {
            return try await next(request, context)
        }
        guard gate.enter(atMost: limits.inFlight) else { throw Problem.overloaded }
        defer { gate.leave() }
        return try await next(request, context)
    }
}
