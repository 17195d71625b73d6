import Hummingbird

/// Limits the number of concurrent requests. A request counts from the moment when it is complete until its response,
/// so slow senders don't use up the limit.
struct ConcurrencyLimit: RouterMiddleware {
    let load: ServerLoad
    let limits: ServerLimits

    func handle(
        _ request: Request, context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        guard !context.isHealthCheck, !context.waitsFirst(request) else {
            return try await next(request, context)
        }
        guard load.beginRequest(atMost: limits.inFlight) else { throw Problem.overloaded }
        defer { load.endRequest() }
        return try await next(request, context)
    }
}
