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
        /// Holders of a key with the scope; tokens are refused.
        case keyHolders(of: KeyScope)
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
            switch access {
            case .anyone: break
            case .holders(let scope): try caller.check(scope)
            case .keyHolders(let scope):
                try caller.check(scope)
                if caller.person != nil { throw Problem.notForPersons(scope) }
            }
            return try await handler(request, context, caller)
        }
    }

    /// All routes, with the method and the path pattern.
    var list: [(method: HTTPRequest.Method, path: String)] { handlers.map { ($0.method, $0.path.description) } }

    /// Adds these routes to a router, and a problem for every other method on their paths.
    func add(to router: Router<ServiceContext>) {
        for route in handlers { router.on(route.path, method: route.method, use: route.handler) }
        for (path, own) in Dictionary(grouping: handlers, by: \.path.description) {
            let others = hidden(by: path).filter { route in !own.contains { $0.method == route.method } }
            for route in others { router.on(RouterPath(path), method: route.method, use: route.handler) }
            // Only the methods of the document: the others are those of another path that this one hides.
            let allowed = Self.methods(of: own)
            let served = allowed + Self.methods(of: others)
            for method in Self.methods where !served.contains(method) {
                router.on(RouterPath(path), method: method) { _, _ -> Response in
                    throw Problem.methodNotAllowed(allowed)
                }
            }
        }
    }

    private static func methods(
        of routes: [(path: RouterPath, method: HTTPRequest.Method, handler: Handler)]
    ) -> [HTTPRequest.Method] {
        methods.filter { method in
            routes.contains { $0.method == method || (method == .head && $0.method == .get) }
        }
    }

    /// The routes with a parameter in place of a part of a literal path. The router finds only the literal path: without
    /// them, a handle with the name `resolve` could not be read.
    private func hidden(by path: String) -> [(path: RouterPath, method: HTTPRequest.Method, handler: Handler)] {
        handlers.compactMap { route in
            guard let parameters = Self.parameters(of: path, in: route.path.description) else { return nil }
            return (
                route.path, route.method,
                { request, context in
                    var context = context
                    context.coreContext.parameters = parameters
                    return try await route.handler(request, context)
                }
            )
        }
    }

    /// The parameters of a pattern in a literal path; nil if it is the path itself, or does not match.
    private static func parameters(of path: String, in pattern: String) -> Parameters? {
        let (parts, names) = (path.split(separator: "/"), pattern.split(separator: "/"))
        guard path != pattern, parts.count == names.count else { return nil }
        var parameters = Parameters()
        for (part, name) in zip(parts, names) where part != name {
            guard name.hasPrefix("{"), !part.hasPrefix("{") else { return nil }
            parameters[name.dropFirst().dropLast()] = part
        }
        return parameters
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
    static let resolve = "/v1/handles/resolve"
    static let events = "/v1/events"
    /// The list of a person's own handles.
    static let ownHandles = "/v1/owners/me/handles"
    static let metrics = "/metrics"
}
