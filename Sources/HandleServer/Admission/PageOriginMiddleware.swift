import HTTPTypes
import Hummingbird

/// Lets pages of the configured origins read availability and, if identity tokens are accepted, make the calls of a
/// person with that person's token (CORS).
///
/// The service uses no cookies, and answers to an access key are never readable for a page: a key does not belong into
/// a page.
struct PageOriginMiddleware: RouterMiddleware {
    let origins: PageOrigins
    let authenticator: Authenticator

    /// How long a browser may cache a preflight response. Browsers cap it at two hours.
    private static let permissionSeconds = 7200
    /// Request headers that pages may send, besides those that are always allowed.
    private static let allowedHeaders = "content-type, traceparent, x-request-id"
    private static let allowedHeadersOfPersons = "authorization, idempotency-key, if-match, " + allowedHeaders
    /// Response headers that pages may read.
    private static let exposedHeaders = "age, etag, ratelimit, ratelimit-policy, retry-after, x-request-id"

    func handle(
        _ request: Request, context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        let methods = methods(of: request.uri.path)
        if request.method == .options, let origin = origin(of: request),
            methods.contains(request.headers[.accessControlRequestMethod] ?? "")
        {
            return permission(for: origin, methods)
        }
        var response = try await next(request, context)
        if methods.contains(request.method.rawValue) { allow(request, &response.headers) }
        return response
    }

    /// The methods that pages may use on a path.
    private func methods(of path: String) -> [String] {
        switch path {
        case CallPath.availability, CallPath.live: ["GET", "HEAD"]
        case _ where !authenticator.acceptsTokens: []
        case CallPath.ownHandles: ["GET", "HEAD"]
        case CallPath.holds: ["POST"]
        case _ where path.hasPrefix(CallPath.handles + "/"): ["GET", "HEAD", "PUT", "PATCH", "POST", "DELETE"]
        default: []
        }
    }

    /// Adds the fields to the response that let the page read it.
    func allow(_ request: Request, _ headers: inout HTTPFields) {
        // Also for requests without an origin: a cache may reuse the response for a page that sends one.
        headers.append(HTTPField(name: .vary, value: "Origin"))
        guard let origin = origin(of: request), !hasKey(request) else { return }
        headers[.accessControlAllowOrigin] = origin
        headers[.accessControlExposeHeaders] = Self.exposedHeaders
    }

    private func hasKey(_ request: Request) -> Bool {
        switch authenticator.credential(of: request) {
        case .key, .unconfirmed: true
        case .none, .token, .person, .refused: false
        }
    }

    /// The origin of the page, if it is configured.
    private func origin(of request: Request) -> String? {
        let values = request.headers[values: .origin]
        guard values.count == 1, origins.contains(values[0]) else { return nil }
        return values[0]
    }

    /// The response to a preflight request. It needs no work, so it counts against no quota.
    private func permission(for origin: String, _ methods: [String]) -> Response {
        Response(
            status: .noContent,
            headers: [
                .accessControlAllowOrigin: origin, .accessControlAllowMethods: methods.joined(separator: ", "),
                .accessControlAllowHeaders: authenticator.acceptsTokens
                    ? Self.allowedHeadersOfPersons : Self.allowedHeaders,
                .accessControlMaxAge: String(Self.permissionSeconds),
                .vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
            ])
    }
}
