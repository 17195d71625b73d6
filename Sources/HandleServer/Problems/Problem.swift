import HandleRegistry
package import HandleRules
package import Hummingbird

import struct FoundationEssentials.Date

/// A problem document of RFC 9457, as an error. Its ``ProblemType`` sets the HTTP status.
package struct Problem: Error, Sendable {
    package let type: ProblemType
    /// One or two sentences for the client's developer: what is wrong and what to change.
    package let detail: String
    /// The reasons why a name was refused, for such a problem.
    package var reasons: [Reason] = []
    var audience = Audience.anyone
    /// The missing scope, for such a problem.
    var scope: KeyScope?
    package var headers: HTTPFields

    package init(_ type: ProblemType, _ detail: String, headers: HTTPFields = [:]) {
        (self.type, self.detail, self.headers) = (type, detail, headers)
    }

    package var status: HTTPResponse.Status { type.status }

    static let notFound = Problem(.notFound, "There is nothing at this URL; /openapi.json lists all calls.")

    static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> Problem {
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        return Problem(
            .methodNotAllowed, "This URL does not support the method; use one of these: \(names).",
            headers: [.allow: names])
    }

    static let noKey = Problem(
        .noKey, "This call needs a key or an identity token: send the header 'Authorization: Bearer KEY'.",
        headers: [.wwwAuthenticate: "Bearer"])

    static let wrongKey = invalidCredential(
        .wrongKey,
        "The header 'Authorization' has no valid key or identity token; send 'Bearer' and one that has not expired or "
            + "been revoked.")

    static let tokensNotAccepted = invalidCredential(
        .tokensNotAccepted,
        "This service accepts no identity tokens; send a key, or have the operator set HANDLES_TOKEN_ISSUERS.")

    static let unknownIssuer = invalidCredential(
        .unknownIssuer,
        "This service does not trust the token's issuer; have the operator add it to the file in "
            + "HANDLES_TOKEN_ISSUERS, written exactly as the token's 'iss'.")

    private static func invalidCredential(_ type: ProblemType, _ detail: String) -> Problem {
        Problem(type, detail, headers: [.wwwAuthenticate: "Bearer error=\"invalid_token\""])
    }

    static func missingScope(_ scope: KeyScope, of holder: KeyHolder) -> Problem {
        let scopes = holder.scopes.inOrder.map { "'\($0.rawValue)'" }.joined(separator: " and ")
        return forbidden(
            .missingScope,
            "This call needs a key with the scope '\(scope.rawValue)'; this one has \(scopes.isEmpty ? "none" : scopes).",
            scope)
    }

    /// Refusal of a valid credential that lacks the rights; a key with `scope` has them.
    static func forbidden(_ type: ProblemType, _ detail: String, _ scope: KeyScope) -> Problem {
        let challenge = "Bearer error=\"insufficient_scope\", scope=\"\(scope.rawValue)\""
        var problem = Problem(type, detail, headers: [.wwwAuthenticate: challenge])
        problem.scope = scope
        return problem
    }

    static let superseded = Problem(
        .superseded, "A newer request of the same session replaced this one; use the response to the newer one.")

    static let overloaded = unavailable(
        .overloaded, "The service is overloaded; try again in a moment.")

    static let databaseUnavailable = unavailable(
        .databaseUnavailable, "The database is unavailable at the moment; try again.")

    /// The service can't answer at the moment; `Retry-After` is one second.
    static func unavailable(_ type: ProblemType, _ detail: String) -> Problem {
        Problem(type, detail, headers: [.retryAfter: "1"])
    }
}

extension Problem {
    static let contentType = "application/problem+json"

    /// The problem document.
    var json: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("type", "/problems/\(type.code)")
            json.member("title", type.title)
            json.member("status", status.code)
            json.member("detail", detail)
            json.member("code", type.code)
            if let scope { json.member("scope", scope.rawValue) }
            guard !reasons.isEmpty else { return }
            switch reasons.first(where: { $0.code.rawValue == type.code }) {
            case .tooManyChanges(let end): json.member("until", Date(secondsSince1970: end).rfc3339)
            case .ownerLocked(let end): json.member("until", end.map { Date(secondsSince1970: $0).rfc3339 })
            default: break
            }
            json.key("reasons")
            json.write(reasons, for: audience)
        }
        return json.bytes
    }

    var plain: Response.Plain {
        var headers = headers
        headers[.contentType] = Self.contentType
        headers[.cacheControl] = "no-store"
        return Response.Plain(status: status, headers: headers, body: json)
    }
}
