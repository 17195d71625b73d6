/// Signs people in, and issues, refreshes and revokes tokens: an OpenID issuer, or the app's own service.
///
/// Only `.refused` ends a session. Answers that are not definite (no connection, 408, 429, 5xx, garbage) are
/// `.unreachable`. If a request was sent and its answer may have been lost, the error is `.answerLost`.
public protocol AuthBackend: Sendable {
    /// Signs a person in, or creates an account.
    func tokens(for credential: Credential) async throws(SessionError) -> AuthTokens

    /// Exchanges a refresh token for new tokens. If the answer has no new refresh token, the old one stays valid.
    func refresh(_ refreshToken: String) async throws(SessionError) -> AuthTokens

    /// Invalidates the tokens of a session.
    func revoke(_ tokens: AuthTokens) async throws(SessionError)

    /// Sends the person a way to choose a new password, if the address is known. The answer doesn't reveal whether it
    /// is.
    func resetPassword(email: String) async throws(SessionError)

    /// Deletes the account that the tokens belong to.
    func deleteAccount(_ tokens: AuthTokens) async throws(SessionError)
}

/// The proof with which a person signs in.
public enum Credential: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Creates an account with this e-mail address, password and name.
    case newAccount(email: String, password: String, username: String)
    /// The e-mail address and password of an account.
    case password(email: String, password: String)
    /// Creates an account for a guest, without a credential.
    case anonymous
    /// The answer of Sign in with Apple.
    case apple(AppleCredential)
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
