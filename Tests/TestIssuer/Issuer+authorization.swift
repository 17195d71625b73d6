import Foundation

/// The authorization endpoint (RFC 6749, 3.1).
extension Issuer {
    /// - Parameters:
    ///   - query: the query of the URL that the browser opened.
    ///   - person: the name of the person; nil to show the page that asks for it.
    func authorize(_ query: String, as person: String?, isDenied: Bool = false) -> Answer {
        let form = Form(query)
        // For an unknown client or redirect URI the error is shown here: the URI may be an attacker's (RFC 6749,
        // 4.1.2.1).
        guard form["client_id"] == options.clientID else {
            return .page(400, SignInPage.problem("client_id is not \(options.clientID)"))
        }
        guard let redirectURI = form["redirect_uri"], isAllowed(redirectURI) else {
            return .page(
                400, SignInPage.problem("redirect_uri is none of \(options.redirectURIs.joined(separator: ", "))"))
        }
        func back(_ pairs: (String, String)...) -> Answer {
            let state = form["state"].map { [("state", $0)] } ?? []
            let query = Form.encode(pairs + state + [("iss", url.absoluteString)])
            return .redirect(to: redirectURI + (redirectURI.contains("?") ? "&" : "?") + query)
        }
        func refusal(_ code: String, _ description: String) -> Answer {
            back(("error", code), ("error_description", description))
        }
        guard form["response_type"] == "code" else {
            return refusal("unsupported_response_type", "response_type is not code")
        }
        let scope = form["scope"] ?? ""
        guard scope.split(separator: " ").contains("openid") else {
            return refusal("invalid_scope", "scope has no openid")
        }
        guard let challenge = form["code_challenge"], form["code_challenge_method"] == "S256" else {
            return refusal("invalid_request", "code_challenge is missing, or its method is not S256")
        }
        if isDenied { return refusal("access_denied", "the person cancelled") }
        guard let person = person ?? options.person, !person.isEmpty else {
            return .page(200, SignInPage.html(query: query, client: options.clientID))
        }
        let code = secret("code")
        codes[code] = Code(
            person: person, scope: scope, nonce: form["nonce"], challenge: challenge, redirectURI: redirectURI,
            end: now.addingTimeInterval(60))
        return back(("code", code))
    }

    private func isAllowed(_ redirectURI: String) -> Bool {
        guard let wanted = URLComponents(string: redirectURI), wanted.fragment == nil else { return false }
        return options.redirectURIs.contains { allowed in
            if allowed == redirectURI { return true }
            guard var allowed = URLComponents(string: allowed), ["127.0.0.1", "[::1]"].contains(allowed.host) else {
                return false
            }
            allowed.port = wanted.port
            return allowed == wanted
        }
    }
}
