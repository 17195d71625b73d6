import Hummingbird

/// Finds the session of a request.
struct Visits: RouterMiddleware {
    let sessions: WebSessions

    func handle(
        _ request: Request, context: SiteContext, next: (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        guard let id = SessionCookie.read(request) else { return try await next(request, context) }
        var context = context
        switch try await sessions.find(id) {
        case .nothing: break
        case .live(let session): context.visit = .signedIn(id, session)
        case .ended(let session, let reason): context.visit = .ended(session, reason)
        }
        return try await next(request, context)
    }
}
