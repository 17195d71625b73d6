/// Whether a person is signed in.
public enum SessionState: Sendable, Hashable {
    /// The store could not be read yet, so it is unknown whether the person is signed in.
    case unknown
    case signedOut(SignOutReason)
    case authenticated
}

/// The reason why there is no session.
public enum SignOutReason: Sendable, Hashable {
    /// No session was stored, and no sign-in happened.
    case neverSignedIn
    /// This program signed out.
    case requested
    /// The session reached its maximum time.
    case timedOut
    /// The issuer refused to continue the session.
    case remote
    /// Another program with the same store signed out, or began another session.
    case elsewhere
}

/// The reason why there is no token.
public enum SessionError: Error, Hashable, CustomStringConvertible {
    /// There is no session: the person has to sign in.
    case signedOut
    /// The access token has expired, and there is no refresh token: the person has to sign in.
    case noRefreshToken
    /// A service rejected the token within ``SessionController/Limits/new`` after it was issued, and there is no refresh
    /// token. Signing in again does not help: the service does not accept the tokens of this issuer.
    case newTokenRejected
    /// The token can't be refreshed now; the session stays. After `retryAfter`, the next call tries again.
    case unreachable(retryAfter: Duration?)
    /// The issuer, or another program with the same store, took too long; the session stays.
    case timedOut
    /// The store can't be used now; the session stays.
    case storage(StorageError)
    /// Another sign-in or a sign-out happened before the answer, so the answer was dropped.
    case superseded
    /// The task was cancelled.
    case cancelled

    public var description: String {
        switch self {
        case .signedOut: "signed out; sign in"
        case .noRefreshToken: "the session has no refresh token; sign in again"
        case .newTokenRejected:
            "a service rejects a token that is new; compare the issuer and the audience that it expects, and its clock"
        case .unreachable(let pause?): "the issuer can't be reached; try again in \(pause.wholeSeconds) s"
        case .unreachable(nil): "the issuer can't be reached; try again"
        case .timedOut: "renewing the session took too long; try again"
        case .storage(let error): "\(error)"
        case .superseded: "another sign-in or a sign-out came first"
        case .cancelled: "cancelled"
        }
    }
}

/// An event of a session, for logs. It contains no secret.
public enum SessionEvent: Sendable, Hashable {
    case refreshed
    case refreshFailed(AuthError)
    /// Another program with the same store had refreshed the session.
    case adopted
    /// The session is refreshed without the lock that keeps other programs from doing the same.
    case lockFailed(StorageError)
    /// The session is in memory only; it is saved later.
    case saveFailed(StorageError)
    /// The session is still stored; it is removed later.
    case clearFailed(StorageError)
    /// A sign-in is about to replace stored content that is not a session. The save may still fail.
    case replacedDamaged(StorageError)
    /// Tokens that arrived after their session ended were revoked; an error means that this failed.
    case revokedLate(AuthError?)
}
