import HandleRegistry
import Hummingbird

/// The routes of the service. They are kept in one list, so that a wrong method gets 405 and an unknown path 404.
struct Routes {
    typealias Handler = @Sendable (Request, ServiceContext) async throws -> Response
    typealias CallerHandler = @Sendable (Request, ServiceContext, Caller) async throws -> Response

    /// The callers that may use a route.
    enum Access {
        /// Every caller; a credential may be absent, but not invalid.
        case anyone
        /// Holders of a key with the scope, and people with a token if tokens have the scope.
        case holders(of: KeyScope)
    }

    private var handlers: [(path: RouterPath, method: HTTPRequest.Method, handler: Handler)] = []

    mutating func add(_ method: HTTPRequest.Method, _ path: RouterPath, _ handler: @escaping Handler) {
        handlers.append((path, method, handler))
    }

    /// Adds a route that depends on its caller. The caller is resolved here, once for each request.
    mutating func add(
        _ method: HTTPRequest.Method, _ path: RouterPath, for access: Access, _ handler: @escaping CallerHandler
    ) {
        add(method, path) { request, context in
            let caller = try await context.credential.caller()
            if case .holders(let scope) = access { try caller.check(scope) }
            return try await handler(request, context, caller)
        }
    }

    /// All routes, with the method and the path pattern.
    var list: [(method: HTTPRequest.Method, path: String)] { handlers.map { ($0.method, $0.path.description) } }

    /// Adds these routes to a router, and a problem for every other method on their paths.
    func add(to router: Router<ServiceContext>) {
        for route in handlers { router.on(route.path, method: route.method, use: route.handler) }
        for (path, routes) in Dictionary(grouping: handlers, by: \.path.description) {
            let allowed = Self.methods.filter { method in
                routes.contains { $0.method == method || (method == .head && $0.method == .get) }
            }
            for method in Self.methods where !allowed.contains(method) {
                router.on(RouterPath(path), method: method) { _, _ -> Response in
                    throw Problem.methodNotAllowed(allowed)
                }
            }
        }
    }

    /// Every method that the HTTP parser accepts, the ones in use first. The parser itself refuses all others.
    private static var methods: [HTTPRequest.Method] {
        let others = """
            CONNECT QUERY ACL BIND CHECKOUT COPY LINK LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR MKCOL MOVE NOTIFY \
            PROPFIND PROPPATCH PURGE REBIND REPORT SEARCH SOURCE SUBSCRIBE UNBIND UNLINK UNLOCK UNSUBSCRIBE
            """
        return [.get, .head, .post, .put, .patch, .delete, .options, .trace]
            + others.split(separator: " ").compactMap { HTTPRequest.Method(String($0)) }
    }
}

/// The paths of calls that other code than their controllers knows.
enum CallPath {
    static let availability = "/v1/availability"
    static let live = "/v1/availability/live"
    static let holds = "/v1/holds"
    static let handles = "/v1/handles"
    /// The list of a person's own handles.
    static let ownHandles = "/v1/owners/me/handles"
    static let metrics = "/metrics"
}
