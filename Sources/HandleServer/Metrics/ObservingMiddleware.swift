import Hummingbird
import Logging

/// Gives each request an id and its place in a trace, and writes down how it went.
struct ObservingMiddleware: RouterMiddleware {
    let metrics: RequestMetrics

    /// The longest id of a request that is taken over from the caller.
    private static let longestID = 128

    func handle(
        _ request: Request, context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        let beginning = ContinuousClock.now
        var context = context
        let ids = RequestIDs(id: Self.id(given: request) ?? RequestIDs.newID(), trace: TraceContext(request))
        context.ids = ids
        var response = try await next(request, context)
        response.headers[.requestID] = ids.id
        if let trace = ids.trace { response.headers[.traceParent] = trace.header }
        let duration = ContinuousClock.now - beginning
        // The pattern, never the path: that has a handle in it.
        let route = context.endpointPath ?? "none"
        metrics.note(request.method, route, response.status.code, duration)
        context.logger.info(
            "request",
            metadata: ids.metadata([
                "method": "\(request.method.rawValue)", "route": "\(route)", "status": "\(response.status.code)",
                "ms": "\(Self.milliseconds(duration))",
            ]))
        return response
    }

    /// The caller's own id, if it is one that can stand in a log.
    private static func id(given request: Request) -> String? {
        guard let id = request.headers[.requestID], (1...longestID).contains(id.utf8.count),
            id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        return id
    }

    private static func milliseconds(_ duration: Duration) -> Double {
        (duration / .microseconds(1)).rounded() / 1000
    }
}
