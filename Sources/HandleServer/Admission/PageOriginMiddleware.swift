import HTTPTypes
import Hummingbird

/// Lets pages of some origins read availability: `GET /v1/availability` and the live check, and nothing else. Never with credentials: a
/// page's request has no cookie that counts here, and a browser is not allowed to send `Authorization`.
struct PageOriginMiddleware: RouterMiddleware {
    let origins: PageOrigins

    private static let paths: Set<String> = [AvailabilityCall.path, LiveCall.path]
    /// How long a browser may remember a permission: two hours are the most that browsers keep it for.
    private static let permissionSeconds = 7200
    /// What pages may send besides what every page may.
    private static let allowedHeaders = "content-type, traceparent, x-request-id"
    /// What pages may read besides the body.
    private static let exposedHeaders = "age, ratelimit, ratelimit-policy, retry-after, x-request-id"

    func handle(
        _ request: Request, context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        guard Self.paths.contains(request.uri.path) else { return try await next(request, context) }
        let origin = origin(of: request)
        if request.method == .options, let origin, Self.isRead(request.headers[.accessControlRequestMethod] ?? "") {
            return permission(for: origin)
        }
        var response = try await next(request, context)
        guard Self.isRead(request.method.rawValue) else { return response }
        // Also without an origin: a cache may have the answer for a page that sends one.
        response.headers.append(HTTPField(name: .vary, value: "Origin"))
        guard let origin else { return response }
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlExposeHeaders] = Self.exposedHeaders
        return response
    }

    /// The origin of the page, if it is one of ours.
    private func origin(of request: Request) -> String? {
        let values = request.headers[values: .origin]
        guard values.count == 1, origins.contains(values[0]) else { return nil }
        return values[0]
    }

    private static func isRead(_ method: String) -> Bool { method == "GET" || method == "HEAD" }

    /// The answer to a preflight request. It takes no work, so it counts for no quota.
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
