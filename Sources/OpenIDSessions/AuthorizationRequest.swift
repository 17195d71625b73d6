public import Foundation
import HTTPLoading
import Sessions

/// One attempt to sign in at an OpenID issuer, from the opened page to the issuer's answer.
///
/// Keep it until the answer arrives, in the app or with the session of the browser that opened the page: an answer with
/// another `state` is forged or belongs to another request. Descriptions, mirrors and `dump` hide its secrets.
public struct AuthorizationRequest: Sendable, Hashable, Codable {
    /// The issuer's page, for the person to open.
    public let url: URL
    /// Returned with the answer.
    public let state: String
    /// Returned in the id token.
    public let nonce: String
    /// Proves that the client exchanging the code is the one that requested it (RFC 7636).
    public let verifier: String

    init(_ metadata: OpenIDMetadata, _ pairs: [(name: String, value: String)]) throws(SessionError) {
        state = Base64URL.secret()
        nonce = Base64URL.secret()
        verifier = Base64URL.secret()
        let own = [
            ("response_type", "code"), ("state", state), ("nonce", nonce),
            ("code_challenge", Base64URL.encode(sha256(Array(verifier.utf8)))), ("code_challenge_method", "S256"),
        ]
        let endpoint = metadata.authorizationEndpoint.absoluteString
        // A query of the endpoint itself is kept (RFC 6749, 3.1).
        let query = FormBody(own + pairs).text
        guard let url = URL(string: endpoint + (endpoint.contains("?") ? "&" : "?") + query) else {
            throw .misconfigured("the issuer's authorization endpoint is not a URL that can be opened: \(endpoint)")
        }
        self.url = url
    }

    /// The code in the issuer's answer.
    func credential(in callback: URL, from metadata: OpenIDMetadata) throws(SessionError) -> Credential {
        let items = URLComponents(url: callback, resolvingAgainstBaseURL: false)?.queryItems ?? []
        func value(_ name: String) throws(SessionError) -> String? {
            let values = items.filter { $0.name == name }
            guard values.count < 2 else { throw .refused(code: "invalid_response") }
            return values.first?.value
        }
        guard try value("state") == state else { throw .refused(code: "wrong_state") }
        let named = try value("iss")
        guard named == metadata.issuer || (named == nil && metadata.alwaysNamesItself != true) else {
            throw .refused(code: "wrong_issuer")
        }
        if let error = try value("error") {
            throw .refused(code: error.isEmpty ? "invalid_response" : OAuthErrorCode(error).text)
        }
        guard let code = try value("code"), !code.isEmpty else { throw .refused(code: "invalid_response") }
        return .code(code, verifier: verifier, nonce: nonce)
    }
}

extension AuthorizationRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        "AuthorizationRequest(at \(url.host(percentEncoded: false) ?? "no host"), hidden)"
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
