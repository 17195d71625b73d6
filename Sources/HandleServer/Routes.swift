import Hummingbird

/// The routes of the service, kept together so that a wrong method is told from a wrong path.
struct Routes<Context: RequestContext> {
    typealias Handler = @Sendable (Request, Context) async throws -> Response

    private var handlers: [(path: RouterPath, method: HTTPRequest.Method, handler: Handler)] = []

    mutating func add(_ method: HTTPRequest.Method, _ path: RouterPath, _ handler: @escaping Handler) {
        handlers.append((path, method, handler))
    }

    /// Adds these routes to a router, and a problem for every other method on their paths.
    func add(to router: Router<Context>) {
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

    private static var methods: [HTTPRequest.Method] {
        [.get, .head, .post, .put, .patch, .delete, .options, .trace]
    }
}
