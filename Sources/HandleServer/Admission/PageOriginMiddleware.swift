import HTTPTypes
import Hummingbird

/// Lets pages of the configured origins read `GET /v1/availability` and the live check, and nothing else (CORS). Always
/// without credentials: the service uses no cookies, and the preflight response does not allow the header
/// `Authorization`.
struct PageOriginMiddleware: RouterMiddleware {
    let origins: PageOrigins

    private static let paths: Set<String> = [CallPath.availability, CallPath.live]
    /// How long a browser may cache a preflight response. Browsers cap it at two hours.
    private static let permissionSeconds = 7200
    /// Request headers that pages may send, besides those that are always allowed.
    private static let allowedHeaders = "content-type, traceparent, x-request-id"
    /// Response headers that pages may read.
    private static let exposedHeaders = "age, ratelimit, ratelimit-policy, retry-after, x-request-id"

    func handle(
        _ request: Request, context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        guard Self.paths.contains(request.uri.path) else { return try await next(request, context) }
        if request.method == .options, let origin = origin(of: request),
            Self.isRead(request.headers[.accessControlRequestMethod] ?? "")
        {
            return permission(for: origin)
        }
        var response = try await next(request, context)
        guard Self.isRead(request.method.rawValue) else { return response }
        allow(request, &response.headers)
        return response
    }

    /// Adds the fields to the response that let the page read it.
    func allow(_ request: Request, _ headers: inout HTTPFields) {
        // Also for requests without an origin: a cache may reuse the response for a page that sends one.
        headers.append(HTTPField(name: .vary, value: "Origin"))
        guard let origin = origin(of: request) else { return }
        headers[.accessControlAllowOrigin] = origin
        headers[.accessControlExposeHeaders] = Self.exposedHeaders
    }

    /// The origin of the page, if it is configured.
    private func origin(of request: Request) -> String? {
        let values = request.headers[values: .origin]
        guard values.count == 1, origins.contains(values[0]) else { return nil }
        return values[0]
    }

    private static func isRead(_ method: String) -> Bool { method == "GET" || method == "HEAD" }

    /// The response to a preflight request. It needs no work, so it counts against no quota.
    private func permission(for origin: String) -> Response {
        Response(
            status: .noContent,
            headers: [
                .accessControlAllowOrigin: origin, .accessControlAllowMethods: "GET, HEAD",
                .accessControlAllowHeaders: Self.allowedHeaders,
                .accessControlMaxAge: String(Self.permissionSeconds),
                .vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
            ])
    }
}
