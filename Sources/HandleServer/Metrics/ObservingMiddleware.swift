import Hummingbird

/// Gives each request its id and trace context, records its metrics and logs it.
struct ObservingMiddleware: RouterMiddleware {
    let metrics: RequestMetrics

    func handle(
        _ request: Request, context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        let observation = RequestObservation(request)
        var context = context
        context.ids = observation.ids
        var response = try await next(request, context)
        observation.end(
            request.method, context.endpointPath, response.status, &response.headers, in: metrics, context.logger)
        return response
    }
}
