public import Foundation
import HTTPLoading
public import Sessions

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Signs people in at an OpenID issuer: authorization code with PKCE (RFC 7636), refresh, revocation (RFC 7009). The
/// endpoints come from the issuer's discovery document, which is read at first use.
///
/// The person signs in on the issuer's page, so `.password`, `.newAccount` and the other credentials are
/// `.unsupported`. The parameter `prompt` with the value `create` requests a page that begins with creating an account.
///
/// ```swift
/// let backend = try OpenIDBackend(issuer: issuer, clientID: "app", redirectURI: redirectURI)
/// let request = try await backend.authorization()  // open request.url; the issuer sends the browser to `callback`
/// try await auth.signIn(with: backend.credential(from: callback, for: request))
/// ```
public struct OpenIDBackend: AuthBackend {
    /// The issuer, as its discovery document writes it.
    public let issuer: URL
    /// The id of this app at the issuer.
    public let clientID: String
    /// The address to which the issuer redirects the person after the sign-in.
    public let redirectURI: URL
    /// The requested scopes; `openid` is one of them.
    public let scopes: [String]
    private let secret: String?
    private let loader: HTTPLoader
    private let discovery: OpenIDDiscovery

    /// - Parameters:
    ///   - issuer: exactly as the issuer writes it, with or without a slash at its end. http is allowed for this
    ///     machine only.
    ///   - clientID: the id under which this app is registered there.
    ///   - clientSecret: for servers. An app can't keep it secret.
    ///   - redirectURI: the address to which the issuer redirects the person, as it is registered there.
    ///   - scopes: `openid` is added if it is missing; most issuers issue a refresh token only with `offline_access`.
    ///   - timeout: for a whole answer of the issuer.
    ///   - clock: measures the timeout.
    /// - Throws: `.misconfigured`.
    public init(
        issuer: URL, clientID: String, clientSecret: String? = nil, redirectURI: URL,
        scopes: [String] = ["openid", "offline_access"], timeout: Duration = .seconds(20),
        clock: any Clock<Duration> = .continuous
    ) throws(SessionError) {
        guard issuer.isSafeForSecrets else {
            throw .misconfigured(
                "the issuer \(issuer.absoluteString) needs https; http is allowed for this machine only")
        }
        guard issuer.query() == nil, issuer.fragment() == nil else {
            throw .misconfigured("remove the query and the fragment from the issuer \(issuer.absoluteString)")
        }
        guard !clientID.isEmpty else { throw .misconfigured("the client's id is empty") }
        self.issuer = issuer
        self.clientID = clientID
        self.secret = clientSecret
        self.redirectURI = redirectURI
        self.scopes = scopes.contains("openid") ? scopes : ["openid"] + scopes
        loader = HTTPLoader(timeout: timeout, longest: 1 << 20, clock: clock)
        discovery = OpenIDDiscovery(issuer: issuer, loader: loader)
    }

    // MARK: Signing in

    /// Begins a sign-in: open its `url` for the person.
    /// - Parameter parameters: further parameters of the issuer, such as `prompt`, `login_hint` or `ui_locales`.
    public func authorization(parameters: [String: String] = [:]) async throws(SessionError) -> AuthorizationRequest {
        let own = [
            ("client_id", clientID), ("redirect_uri", redirectURI.absoluteString),
            ("scope", scopes.joined(separator: " ")),
        ]
        let reserved = Set(
            own.map(\.0) + ["response_type", "state", "nonce", "code_challenge", "code_challenge_method"])
        if let taken = parameters.keys.sorted().first(where: reserved.contains) {
            throw .misconfigured("the parameter \(taken) is set already; leave it out")
        }
        let more = parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        return try AuthorizationRequest(await discovery.metadata(), own + more)
    }

    /// Ends a sign-in: reads the credential from the address to which the issuer redirected the person.
    /// - Throws: `.refused` with the issuer's code, such as `access_denied`; with `wrong_state` or `wrong_issuer` for
    ///   an answer to another request; with `invalid_response` for an answer without a code.
    public func credential(
        from callback: URL, for request: AuthorizationRequest
    ) async throws(SessionError) -> Credential {
        try request.credential(in: callback, from: await discovery.metadata())
    }

    public func tokens(for credential: Credential) async throws(SessionError) -> AuthTokens {
        guard case .code(let code, let verifier, let nonce) = credential else { throw .unsupported }
        let metadata = try await discovery.metadata()
        let answer = try await post(
            [
                ("grant_type", "authorization_code"), ("code", code), ("code_verifier", verifier),
                ("redirect_uri", redirectURI.absoluteString),
            ], to: metadata.tokenEndpoint, metadata)
        let tokens = try answer.tokens(hiding: [code, verifier] + secrets)
        do throws(SessionError) {
            guard let claims = tokens.idToken.flatMap(IDTokenClaims.init) else {
                throw .misconfigured("the issuer sent no id token; allow the scope openid for this client")
            }
            try claims.check(issuer: metadata.issuer, clientID: clientID, nonce: nonce)
            return tokens
        } catch {
            // These tokens are not returned, so the caller can't revoke them.
            try? await revoke(tokens)
            throw error
        }
    }

    /// The person's claims at the issuer (OpenID Connect Core 1.0, 5.3), such as `sub` and `email`.
    /// - Throws: `.unsupported` for an issuer without this endpoint; `.refused` for an expired access token.
    ///
    /// The claims are decoded on the actor of the caller, because a type of an app may be decodable on the main actor only.
    public nonisolated(nonsending) func userInfo<Claims: Decodable>(
        for tokens: AuthTokens, as type: Claims.Type = Claims.self
    ) async throws(SessionError) -> Claims {
        guard let endpoint = try await discovery.metadata().userInfoEndpoint else { throw .unsupported }
        var request = URLRequest(url: endpoint)
        request.setValue("Bearer \(tokens.accessToken)", forHTTPHeaderField: "Authorization")
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        let answer = try await loader.answer(to: request)
        return try answer.userInfo(hiding: [tokens.accessToken])
    }

    // MARK: Later

    public func refresh(_ refreshToken: String) async throws(SessionError) -> AuthTokens {
        let metadata = try await discovery.metadata()
        let answer = try await post(
            [("grant_type", "refresh_token"), ("refresh_token", refreshToken)], to: metadata.tokenEndpoint, metadata)
        let tokens = try answer.tokens(hiding: [refreshToken] + secrets)
        guard let idToken = tokens.idToken else { return tokens }
        // It must be of the same issuer, client and person as the first one (OpenID Connect Core 1.0, 12.2). The
        // session controller compares the person.
        let claims = IDTokenClaims(reading: idToken)
        guard let claims, (try? claims.check(issuer: metadata.issuer, clientID: clientID, nonce: nil)) != nil else {
            try? await revoke(tokens)
            throw .refused(code: "wrong_id_token")
        }
        return tokens
    }

    /// Revokes the refresh token, and the access token if the issuer supports that.
    public func revoke(_ tokens: AuthTokens) async throws(SessionError) {
        let metadata = try await discovery.metadata()
        guard let endpoint = metadata.revocationEndpoint else { throw .unsupported }
        if let token = tokens.refreshToken {
            try await revoke(token, "refresh_token", at: endpoint, metadata)
        }
        do throws(SessionError) {
            try await revoke(tokens.accessToken, "access_token", at: endpoint, metadata)
        } catch let error where error.code == .refused && tokens.refreshToken != nil {
            // Not every issuer can revoke access tokens; they expire by themselves.
        }
    }

    private func revoke(
        _ token: String, _ kind: String, at endpoint: URL, _ metadata: OpenIDMetadata
    ) async throws(SessionError) {
        let answer = try await post([("token", token), ("token_type_hint", kind)], to: endpoint, metadata)
        guard answer.status == 200 else { throw answer.problem(hiding: [token] + secrets) }
    }

    public func resetPassword(email: String) async throws(SessionError) { throw .unsupported }

    public func deleteAccount(_ tokens: AuthTokens) async throws(SessionError) { throw .unsupported }

    private var secrets: [String] { secret.map { [$0] } ?? [] }

    private func post(
        _ pairs: [(name: String, value: String)], to endpoint: URL, _ metadata: OpenIDMetadata
    ) async throws(SessionError) -> HTTPAnswer {
        var request = URLRequest(url: endpoint)
        request.httpMethod = "POST"
        request.setValue(FormBody.contentType, forHTTPHeaderField: "Content-Type")
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        var pairs = pairs
        if let secret, metadata.takesBasic {
            let user = "\(FormBody.encode(clientID)):\(FormBody.encode(secret))"
            request.setValue("Basic \(Data(user.utf8).base64EncodedString())", forHTTPHeaderField: "Authorization")
        } else {
            pairs.append(("client_id", clientID))
            if let secret { pairs.append(("client_secret", secret)) }
        }
        request.httpBody = Data(FormBody(pairs).text.utf8)
        let answer = try await loader.answer(to: request)
        if answer.isGone { await discovery.forget() }
        return answer
    }
}

extension OpenIDMetadata {
    /// Whether the client secret is sent in `Authorization`, which is the default (OpenID Connect Discovery 1.0, 3).
    fileprivate var takesBasic: Bool { tokenEndpointAuthMethods?.contains("client_secret_basic") ?? true }
}

extension OpenIDBackend: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "OpenIDBackend(\(issuer.absoluteString))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
