/// Signs people in, and issues, refreshes and revokes tokens: an OpenID issuer, or the app's own service.
///
/// Only `.refused` ends a session. Answers that are not definite (no connection, 408, 429, 5xx, garbage) are
/// `.unreachable`. If a request was sent and its answer may have been lost, the error is `.answerLost`.
public protocol AuthBackend: Sendable {
    /// Signs a person in, or creates an account.
    func tokens(for credential: Credential) async throws(AuthError) -> AuthTokens

    /// Exchanges a refresh token for new tokens. If the answer has no new refresh token, the old one stays valid.
    func refresh(_ refreshToken: String) async throws(AuthError) -> AuthTokens

    /// Invalidates the tokens of a session.
    func revoke(_ tokens: AuthTokens) async throws(AuthError)

    /// Sends the person a way to choose a new password, if the address is known. The answer doesn't reveal whether it
    /// is.
    func resetPassword(email: String) async throws(AuthError)

    /// Deletes the account that the tokens belong to.
    func deleteAccount(_ tokens: AuthTokens) async throws(AuthError)
}

/// The proof with which a person signs in.
public enum Credential: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    case newAccount(email: String, password: String, username: String)
    case password(email: String, password: String)
    case anonymous
    /// An identity token of Sign in with Apple, which the app gets from the system.
    case apple(idToken: String)
    /// The code from an OpenID issuer, the verifier of the request's challenge (RFC 7636), and the nonce that the id
    /// token must have.
    case code(String, verifier: String, nonce: String? = nil)

    public var description: String {
        switch self {
        case .newAccount: "a new account"
        case .password: "a password"
        case .anonymous: "no credential, as a guest"
        case .apple: "an identity token of Apple"
        case .code: "an authorization code"
        }
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The reason why a call of a backend failed.
public enum AuthError: Error, Hashable, CustomStringConvertible {
    /// A definite refusal, with the issuer's code for it, such as `invalid_grant`.
    case refused(code: String)
    /// No definite answer. The request may be retried, after `retryAfter` if the issuer gave it.
    case unreachable(retryAfter: Duration?)
    /// The request was sent, and no complete answer arrived. The issuer may have acted on the request.
    case answerLost
    /// The task was cancelled.
    case cancelled
    /// This backend doesn't support the call or the credential.
    case unsupported
    /// The configuration does not fit the issuer; the text says what to change. It contains no secret.
    case misconfigured(String)

    public var description: String {
        switch self {
        case .refused(let code): "the issuer refused: \(code)"
        case .unreachable(let pause?): "the issuer can't be reached; try again in \(pause.wholeSeconds) s"
        case .unreachable(nil): "the issuer can't be reached; try again"
        case .answerLost: "the answer of the issuer got lost; try again"
        case .cancelled: "cancelled"
        case .unsupported: "the backend doesn't support this call or credential; use another one"
        case .misconfigured(let problem): problem
        }
    }
}
