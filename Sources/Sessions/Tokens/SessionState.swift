/// Whether a person is signed in.
public enum SessionState: Sendable, Hashable {
    /// The store could not be read yet. Neither signed in nor out.
    case unknown
    case signedOut(SignOutReason)
    case authenticated
}

/// Why there is no session.
public enum SignOutReason: Sendable, Hashable {
    /// No session was stored, and no sign-in happened.
    case neverSignedIn
    /// This program signed out.
    case requested
    /// The session lasted as long as it may.
    case timedOut
    /// The issuer refused to go on with the session.
    case remote
    /// Another program with the same store signed out, or began another session.
    case elsewhere
}

/// Why there is no token.
public enum SessionError: Error, Hashable, CustomStringConvertible {
    /// There is no session: the person has to sign in.
    case signedOut
    /// The access token has ended, and there is no refresh token: the person has to sign in.
    case noRefreshToken
    /// The token can't be renewed now; the session stays. After `retryAfter`, the next call tries again.
    case unreachable(retryAfter: Duration?)
    /// The issuer, or another program with the same store, took too long; the session stays.
    case timedOut
    /// The store can't be used now; the session stays.
    case storage(StorageError)
    /// Another sign-in or a sign-out came before the answer, so the answer was dropped.
    case superseded
    /// The task was cancelled.
    case cancelled

    public var description: String {
        switch self {
        case .signedOut: "signed out; sign in"
        case .noRefreshToken: "the session has no refresh token; sign in again"
        case .unreachable(let pause?): "the issuer can't be reached; try again in \(pause.wholeSeconds) s"
        case .unreachable(nil): "the issuer can't be reached; try again"
        case .timedOut: "renewing the session took too long; try again"
        case .storage(let error): "\(error)"
        case .superseded: "another sign-in or a sign-out came first"
        case .cancelled: "cancelled"
        }
    }
}

/// An event of a session, for logs. It holds no secret.
public enum SessionEvent: Sendable, Hashable {
    case refreshed
    case refreshFailed(AuthError)
    /// Another program with the same store had renewed the session.
    case adopted
    /// The session is renewed without the lock that keeps other programs from doing the same.
    case lockFailed(StorageError)
    /// The session is in memory only; it is saved later.
    case saveFailed(StorageError)
    /// The session is still stored; it is removed later.
    case clearFailed(StorageError)
    /// A sign-in is about to replace stored content that is no session. The save may still fail.
    case replacedDamaged(StorageError)
    /// Tokens that came after their session's end were revoked, or not.
    case revokedLate(AuthError?)
}
