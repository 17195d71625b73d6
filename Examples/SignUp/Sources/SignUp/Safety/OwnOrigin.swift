import HTTPTypes
import Hummingbird

/// Redirects requests for another host name of this machine, such as `localhost`, to the address that the issuer and
/// the cookie are for. It also prevents DNS rebinding, where the host name of another site resolves to this machine.
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

/// Refuses forms from pages of other sites, by `Sec-Fetch-Site` and `Origin`. The form's token is checked in addition.
struct SameOrigin: RouterMiddleware {
    let origin: String

    func handle(
        _ request: Request, context: SiteContext, next: (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        guard request.method != .get, request.method != .head else { return try await next(request, context) }
        let site = request.headers[.of("Sec-Fetch-Site")]
        guard site == nil || site == "same-origin" else { throw Forbidden() }
        // Programs other than browsers don't send it.
        let sender = request.headers[.origin]
        guard sender == nil || sender == origin else { throw Forbidden() }
        return try await next(request, context)
    }
}
