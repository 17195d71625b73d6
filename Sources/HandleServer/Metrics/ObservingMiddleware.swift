import Hummingbird
import Logging

/// Gives each request its id and trace context, records its metrics and logs it.
struct ObservingMiddleware: RouterMiddleware {
    let metrics: RequestMetrics

    /// Maximum length of a request id that is taken over from the client.
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
        // The route's pattern, never the path, which may have a handle in it.
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

    /// The client's own request id, if it is printable ASCII and not too long.
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
