import Hummingbird

/// Parses the credential of every request. Runs before the limits, which depend on it.
struct CredentialMiddleware: RouterMiddleware {
    let authenticator: Authenticator

    func handle(
        _ request: Request, context: ServiceContext, next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.credential = authenticator.credential(of: request)
        return try await next(request, context)
    }
}
