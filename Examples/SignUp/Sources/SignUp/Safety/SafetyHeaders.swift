import HTTPTypes
import Hummingbird

/// Sets headers by which browsers block everything that these pages don't need, such as inline scripts and frames.
struct SafetyHeaders: RouterMiddleware {
    let isSecure: Bool

    private static let policy: ContentSecurityPolicy = [
        .defaultSrc(.none), .scriptSrc(.self), .styleSrc(.self), .connectSrc(.self), .formAction(.self),
        .baseURI(.none), .frameAncestors(.none), .requireTrustedTypesFor(.script),
    ]

    func handle(
        _ request: Request, context: SiteContext, next: (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        for (name, value) in Self.fields { response.headers[name] = value }
        if isSecure { response.headers[.strictTransportSecurity] = "max-age=31536000" }
        return response
    }

    private static let fields: [(HTTPField.Name, String)] = [
        (.contentSecurityPolicy, policy.description), (.xContentTypeOptions, "nosniff"),
        (.of("Referrer-Policy"), "same-origin"),
        (.of("Cross-Origin-Opener-Policy"), "same-origin"),
        (.of("Cross-Origin-Resource-Policy"), "same-origin"),
    ]
}

extension HTTPField.Name {
    /// A field name from a literal.
    static func of(_ literal: StaticString) -> HTTPField.Name {
        guard let name = HTTPField.Name(literal.description) else {
            preconditionFailure("\(literal) is no name of a header field")
        }
        return name
    }
}
