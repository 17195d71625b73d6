import HTTPTypes
import Hummingbird

/// Leads a browser that uses another name of this machine, such as `localhost`, to the address that the issuer and the cookie know. It
/// also keeps pages of other sites out whose name was made to point here.
struct OwnHost: RouterMiddleware {
    let origin: String

    func handle(
        _ request: Request, context: SiteContext, next: (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        guard let host = request.head.authority, !origin.hasSuffix("://" + host.lowercased()) else {
            return try await next(request, context)
        }
        guard request.method == .get else { throw Forbidden() }
        return Response(status: .temporaryRedirect, headers: [.location: origin + request.uri.string])
    }
}

/// Refuses forms that a page of another site sends. Browsers say which page it was; the form's token has to fit besides.
struct SameOrigin: RouterMiddleware {
    let origin: String

    func handle(
        _ request: Request, context: SiteContext, next: (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        guard request.method != .get, request.method != .head else { return try await next(request, context) }
        let site = request.headers[.of("Sec-Fetch-Site")]
        guard site == nil || site == "same-origin" else { throw Forbidden() }
        // Absent from programs that are no browsers.
        let sender = request.headers[.origin]
        guard sender == nil || sender == origin else { throw Forbidden() }
        return try await next(request, context)
    }
}
