/// Signs people in, and issues, refreshes and revokes tokens: an OpenID issuer, or the app's own service.
///
/// Only `.refused` ends a session. Answers that are not definite (no connection, 408, 429, 5xx, garbage) are
/// `.unreachable`, and one that may have got lost after the request was sent is `.answerLost`.
public protocol AuthBackend: Sendable {
    /// Signs a person in, or makes them an account.
    func tokens(for credential: Credential) async throws(AuthError) -> AuthTokens

    /// Exchanges a refresh token for new tokens. Without a new refresh token in the answer the old one stays good.
    func refresh(_ refreshToken: String) async throws(AuthError) -> AuthTokens

    /// Makes the tokens of a session worthless.
    func revoke(_ tokens: AuthTokens) async throws(AuthError)

    /// Sends the person a way to choose a new password, if the address is known. The answer doesn't say whether it is.
    func resetPassword(email: String) async throws(AuthError)

    /// Deletes the account whose tokens these are.
    func deleteAccount(_ tokens: AuthTokens) async throws(AuthError)
}

/// The proof with which a person signs in.
public enum Credential: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    case newAccount(email: String, password: String, username: String)
    case password(email: String, password: String)
    case anonymous
    /// An identity token of Sign in with Apple, which the app gets from the system.
    case apple(idToken: String)
    /// The code that an OpenID issuer sent, the verifier that belongs to the request's challenge (RFC 7636), and the nonce that
    /// the id token must have.
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
    /// A definite no, with the issuer's code for it, such as `invalid_grant`.
    case refused(code: String)
    /// No definite answer. The request may be repeated, after `retryAfter` if the issuer said so.
    case unreachable(retryAfter: Duration?)
    /// The request was sent, and no complete answer came. The issuer may have acted on the request.
    case answerLost
    /// The task was cancelled.
    case cancelled
    /// This backend doesn't know this call or credential.
    case unsupported
    /// The configuration does not fit the issuer; the text says what to change. It holds no secret.
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
